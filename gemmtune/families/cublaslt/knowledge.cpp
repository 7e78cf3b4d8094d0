#include "gemmtune/families/cublaslt/knowledge.h"

#include <algorithm>

#include "gemmtune/families/cublaslt/matmul.h"

namespace gemmtune::cublaslt {
namespace {

constexpr std::size_t most_recent = 8;  // the same shape is requested several times in a row

/// With fast accumulation, sums of many products of one sign are wrong by several percent, and such a winner fails its
/// proof (docs/verifying.md). For larger K, only the library's own ranking is tried.
constexpr std::int64_t most_k_of_fast_accumulation = 512;

bool is_worth_enumerating(const MatmulSpec& spec) {
  return !spec.fast_accumulation || spec.k <= most_k_of_fast_accumulation;
}

/// As many as can be tried in about a minute. Each costs some ten launches and a few milliseconds.
std::size_t most_candidates(const MatmulSpec& spec) {
  constexpr double flops_a_second = 5e14;
  constexpr double launches = 10;
  constexpr double beside_s = 0.005;
  const double operations = 2.0 * static_cast<double>(spec.batch) * static_cast<double>(spec.m) *
                            static_cast<double>(spec.n) * static_cast<double>(spec.k);
  return static_cast<std::size_t>(std::clamp(60 / (launches * operations / flops_a_second + beside_s), 200.0, 2000.0));
}

}  // namespace

Enumeration Knowledge::enumerate(const std::shared_ptr<const Session>& session, int device, const MatmulSpec& spec) {
  const std::lock_guard lock(mutex_);
  const Key key{device, spec};
  if (const auto known = recent_.find(key); known != recent_.end()) return known->second;
  if (recent_.size() >= most_recent) recent_.clear();
  const Matmul matmul(session, spec);
  const auto algos = is_worth_enumerating(spec) ? enumerate_algos(matmul) : EnumeratedAlgos{};
  const bool full_size = spec.product == DType::f32 || spec.product == DType::i32;
  return recent_[key] =
             cublaslt::enumerate(matmul, algos, {.most = most_candidates(spec), .k = spec.k, .fits_output = full_size});
}

}  // namespace gemmtune::cublaslt
