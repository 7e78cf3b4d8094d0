#include "gemmtune/families/openblas/prepared_sgemm.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "gemmtune/core/text.h"

namespace gemmtune::openblas {
namespace {

/// One matrix out of the batch.
struct Matrices {
  const float* a{};
  const float* w{};
  float* c{};
};

/// Blocks of 64, so that neither side is read or written a cache line for one float.
void transpose(const float* from, std::int64_t rows, std::int64_t cols, float* to) {
  constexpr std::int64_t block = 64;
  for (std::int64_t row0 = 0; row0 < rows; row0 += block) {
    for (std::int64_t col0 = 0; col0 < cols; col0 += block) {
      for (std::int64_t row = row0; row < std::min(row0 + block, rows); ++row) {
        for (std::int64_t col = col0; col < std::min(col0 + block, cols); ++col) {
          to[col * rows + row] = from[row * cols + col];
        }
      }
    }
  }
}

class PreparedSgemm final : public PreparedGemm {
 public:
  explicit PreparedSgemm(const Choice& choice)
      : problem_(choice.problem),
        call_(choice.call),
        threads_(choice.threads),
        m_(static_cast<blasint>(choice.problem.m)),
        n_(static_cast<blasint>(choice.problem.n)),
        k_(static_cast<blasint>(choice.problem.k)) {}

  std::size_t packed_weight_bytes() const override {
    const Problem& p = problem_;
    return call_ == Call::nn ? sizeof(float) * static_cast<std::size_t>(p.batch * p.n * p.k) : 0;
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override {
    const auto* from = reinterpret_cast<const float*>(operands.w);
    auto* to = reinterpret_cast<float*>(packed);
    const std::int64_t size = problem_.n * problem_.k;
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      transpose(from + b * size, problem_.n, problem_.k, to + b * size);
    }
  }

  void launch(const Operands& operands, Stream&) noexcept override {
    // A store under a lock; threads are only made when the number was never this high.
    openblas_set_num_threads(threads_);
    const Problem& p = problem_;
    for (std::int64_t b = 0; b < p.batch; ++b) {
      const Matrices at = matrices(operands, b);
      multiply(at);
      if (p.epilogue.bias) add_bias(reinterpret_cast<const float*>(operands.bias), at.c);
    }
  }

 private:
  Matrices matrices(const Operands& operands, std::int64_t b) const {
    const Problem& p = problem_;
    const std::byte* weights = call_ == Call::nn ? operands.packed_w : operands.w;
    return {.a = reinterpret_cast<const float*>(operands.a) + b * p.m * p.k,
            .w = reinterpret_cast<const float*>(weights) + b * p.n * p.k,
            .c = reinterpret_cast<float*>(operands.c) + b * p.m * p.n};
  }

  void multiply(const Matrices& at) const noexcept {
    switch (call_) {
      case Call::nt:
        return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m_, n_, k_, 1.0F, at.a, k_, at.w, k_, 0.0F, at.c,
                           n_);
      case Call::nn:
        return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, 1.0F, at.a, k_, at.w, n_, 0.0F, at.c,
                           n_);
      case Call::gemv:
        return multiply_rows(at);
    }
  }

  /// Adds to zeros: with beta = 0 some kernels scale what they find, and what they find may be NaN.
  void multiply_rows(const Matrices& at) const noexcept {
    std::fill_n(at.c, problem_.m * problem_.n, 0.0F);
    for (std::int64_t row = 0; row < problem_.m; ++row) {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, n_, k_, 1.0F, at.w, k_, at.a + row * problem_.k, 1, 1.0F,
                  at.c + row * problem_.n, 1);
    }
  }

  /// After the product, so that the sum is rounded once. On one thread: the library's own are busy waiting for work.
  void add_bias(const float* bias, float* c) const noexcept {
    for (std::int64_t row = 0; row < problem_.m; ++row) {
      for (std::int64_t n = 0; n < problem_.n; ++n) c[row * problem_.n + n] += bias[n];
    }
  }

  Problem problem_;
  Call call_;
  int threads_;
  blasint m_;
  blasint n_;
  blasint k_;
};

std::string_view threading() {
  switch (openblas_get_parallel()) {
    case OPENBLAS_THREAD:
      return "pthreads";
    case OPENBLAS_OPENMP:
      return "openmp";
    default:
      return "one thread";
  }
}

/// The second word of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …".
std::string_view version_number() {
  const auto words = split(openblas_get_config(), ' ');
  return words.size() > 1 ? words[1] : "?";
}

}  // namespace

std::unique_ptr<PreparedGemm> prepare_sgemm(const Choice& choice) { return std::make_unique<PreparedSgemm>(choice); }

std::string library_version() {
  return fmt::format("openblas {} ({}, {})", version_number(), openblas_get_corename(), threading());
}

bool library_has_threads() { return openblas_get_parallel() != OPENBLAS_SEQUENTIAL; }

}  // namespace gemmtune::openblas
