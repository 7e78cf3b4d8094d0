#include "gemmtune/families/openblas/prepared_sgemm.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/activation.h"

namespace gemmtune::openblas {
namespace {

/// A row-major matrix; `across` is the distance between rows.
struct Matrix {
  const float* at{};
  std::int64_t across{};
  Major major{};  // mn: the rows are rows of K

  blasint leading_dimension() const { return static_cast<blasint>(across); }
  CBLAS_TRANSPOSE transposed_unless(Major plain) const { return major == plain ? CblasNoTrans : CblasTrans; }
};

/// The matrices of one batch element.
struct Matrices {
  Matrix a{};
  Matrix w{};
  const float* residual{};
  float* c{};
};

/// Writes the transposed matrix without gaps. Works in blocks of 64, so that all of each cache line is used on both
/// sides.
void transpose(const StoredMatrix& stored, const float* from, float* to) {
  constexpr std::int64_t block = 64;
  for (std::int64_t row0 = 0; row0 < stored.rows; row0 += block) {
    for (std::int64_t col0 = 0; col0 < stored.cols; col0 += block) {
      for (std::int64_t row = row0; row < std::min(row0 + block, stored.rows); ++row) {
        for (std::int64_t col = col0; col < std::min(col0 + block, stored.cols); ++col) {
          to[col * stored.rows + row] = from[row * stored.leading_dimension + col];
        }
      }
    }
  }
}

Major other(Major major) { return major == Major::k ? Major::mn : Major::k; }

class PreparedSgemm final : public PreparedGemm {
 public:
  explicit PreparedSgemm(const Choice& choice)
      : problem_(choice.problem),
        call_(choice.call),
        threads_(choice.threads),
        a_(stored_a(choice.problem)),
        w_(stored_w(choice.problem)),
        c_(stored_c(choice.problem)),
        m_(static_cast<blasint>(choice.problem.m)),
        n_(static_cast<blasint>(choice.problem.n)),
        k_(static_cast<blasint>(choice.problem.k)) {}

  std::size_t packed_weight_bytes() const override {
    return call_ == Call::transposed ? sizeof(float) * static_cast<std::size_t>(problem_.batch * w_.rows * w_.cols) : 0;
  }

  std::string packed_layout() const override { return "transposed f32"; }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override {
    const auto* from = reinterpret_cast<const float*>(operands.w);
    auto* to = reinterpret_cast<float*>(packed);
    for (std::int64_t b = 0; b < problem_.batch; ++b)
      transpose(w_, from + b * w_.batch_stride, to + b * w_.rows * w_.cols);
  }

  void launch(const Operands& operands, Stream&) noexcept override {
    // This costs a store under a lock. The library creates threads only if the number is higher than ever before.
    openblas_set_num_threads(threads_);
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      const Matrices at = matrices(operands, b);
      if (problem_.epilogue.residual) copy_residual(at);
      call_ == Call::gemv ? multiply_rows(at) : multiply(at);
      finish(reinterpret_cast<const float*>(operands.bias), at.c);
    }
  }

 private:
  Matrices matrices(const Operands& operands, std::int64_t b) const {
    const auto* residual = reinterpret_cast<const float*>(operands.residual);
    return {.a = {reinterpret_cast<const float*>(operands.a) + b * a_.batch_stride, a_.leading_dimension,
                  problem_.layout.a},
            .w = weights(operands, b),
            .residual = residual == nullptr ? nullptr : residual + b * c_.batch_stride,
            .c = reinterpret_cast<float*>(operands.c) + b * c_.batch_stride};
  }

  Matrix weights(const Operands& operands, std::int64_t b) const {
    const Major stored = problem_.layout.w;
    if (call_ != Call::transposed)
      return {reinterpret_cast<const float*>(operands.w) + b * w_.batch_stride, w_.leading_dimension, stored};
    return {reinterpret_cast<const float*>(operands.packed_w) + b * w_.rows * w_.cols, w_.rows, other(stored)};
  }

  /// Copies the residual to C. The product is added to it, so that the sum is rounded once.
  void copy_residual(const Matrices& at) const noexcept {
    for (std::int64_t row = 0; row < problem_.m; ++row)
      std::copy_n(at.residual + row * c_.leading_dimension, problem_.n, at.c + row * c_.leading_dimension);
  }

  void multiply(const Matrices& at) const noexcept {
    const float beta = problem_.epilogue.residual ? 1.0F : 0.0F;
    cblas_sgemm(CblasRowMajor, at.a.transposed_unless(Major::k), at.w.transposed_unless(Major::mn), m_, n_, k_, 1.0F,
                at.a.at, at.a.leading_dimension(), at.w.at, at.w.leading_dimension(), beta, at.c,
                static_cast<blasint>(c_.leading_dimension));
  }

  /// Adds to the residual or to zeros. With beta = 0, some of the library's kernels multiply the old C by 0, which
  /// gives NaN if C had a NaN.
  void multiply_rows(const Matrices& at) const noexcept {
    const bool along_k = at.w.major == Major::k;
    const std::int64_t row_of_a = at.a.major == Major::k ? at.a.across : 1;
    const auto step_of_a = static_cast<blasint>(at.a.major == Major::k ? 1 : at.a.across);
    for (std::int64_t row = 0; row < problem_.m; ++row) {
      float* const c = at.c + row * c_.leading_dimension;
      if (!problem_.epilogue.residual) std::fill_n(c, problem_.n, 0.0F);
      cblas_sgemv(CblasRowMajor, along_k ? CblasNoTrans : CblasTrans, along_k ? n_ : k_, along_k ? k_ : n_, 1.0F,
                  at.w.at, at.w.leading_dimension(), at.a.at + row * row_of_a, step_of_a, 1.0F, c, 1);
    }
  }

  /// Adds the bias and applies the activation, because the library has neither. A bias alone is added on one thread:
  /// the library's own threads spin while they wait for work, and would compete. Activations cost enough to use all
  /// threads.
  void finish(const float* bias, float* c) const noexcept {
    const Epilogue& epilogue = problem_.epilogue;
    const bool activates = epilogue.activation != Activation::none;
    if (!epilogue.bias && !activates) return;
#pragma omp parallel for num_threads(threads_) schedule(static) if (activates)
    for (std::int64_t row = 0; row < problem_.m; ++row) {
      float* const out = c + row * c_.leading_dimension;
      if (epilogue.bias)
        for (std::int64_t n = 0; n < problem_.n; ++n) out[n] += bias[n];
      if (activates)
        for (std::int64_t n = 0; n < problem_.n; ++n) out[n] = activate(epilogue.activation, out[n]);
    }
  }

  Problem problem_;
  Call call_;
  int threads_;
  StoredMatrix a_;
  StoredMatrix w_;
  StoredMatrix c_;
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

/// The second word of a text such as "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …".
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
