// The library's algorithm that a table's row names, for one call of a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "gemmtune/families/cublaslt/matmul.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/preload/call_reader.h"

namespace gemmtune::preload {

struct TunedAlgo {
  cublasLtMatmulAlgo_t algo{};
  std::uint64_t workspace_bytes{};
  float waves{};
  std::uint32_t reductions{};  // cublasLtReductionScheme_t; 0: K is not split
  std::uint64_t arithmetic{};  // cublasLtNumericalImplFlags_t
  std::uint32_t alignment{};   // that it needs of every matrix, in bytes

  /// Whether a program that states these limits could have got it from the library.
  bool is_within(const Limits& limits) const noexcept;
};

struct TunedCall {
  std::string_view kernel_name{};  // of the row
  Problem problem{};
  bool fast_accumulation{};
};

/// Empty if the row's kernel is the library's own first choice, is of another version of the library, sums in another
/// way, or does not exist in the library. Whether the library takes it for a call is checked later.
class TunedKernel {
 public:
  static std::optional<TunedKernel> of(const std::shared_ptr<const cublaslt::Session>& session, const TunedCall& call);

  /// Empty if the library turns it down for the program's own descriptors.
  std::optional<TunedAlgo> checked(const cublaslt::Session& session, const Descriptors& descriptors) const;

  /// The same for the matmul that gemmtune describes itself.
  std::optional<TunedAlgo> checked() const;

  const std::shared_ptr<const cublaslt::Matmul>& matmul() const { return matmul_; }

 private:
  TunedKernel(std::shared_ptr<const cublaslt::Matmul> matmul, const cublasLtMatmulAlgo_t& algo, std::uint32_t reduction)
      : matmul_(std::move(matmul)), algo_(algo), reductions_(reduction) {}

  TunedAlgo algo_with(std::uint64_t workspace_bytes, float waves) const;

  std::shared_ptr<const cublaslt::Matmul> matmul_;
  cublasLtMatmulAlgo_t algo_{};
  std::uint32_t reductions_{};
};

}  // namespace gemmtune::preload
