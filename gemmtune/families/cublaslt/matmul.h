// One matmul as the library sees it: its descriptors, what its algorithms can do with it, and the call itself.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "gemmtune/families/cublaslt/algo_source.h"
#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/families/launch_slots.h"

namespace gemmtune::cublaslt {

/// Addresses of one call's tensors on the device. Scales, bias and residual are null if the matmul has none.
struct Addresses {
  const std::byte* a{};
  const std::byte* a_scale{};
  const std::byte* w{};
  const std::byte* w_scale{};
  const std::byte* bias{};
  const std::byte* residual{};
  std::byte* product{};
  std::byte* workspace{};
};

/// All const functions may be called on several threads at once, as cuBLASLt allows with one handle.
class Matmul final : public AlgoSource {
 public:
  /// Throws Error{unsupported} when the library does not know the types or the scales.
  Matmul(std::shared_ptr<const Session> session, const MatmulSpec& spec);

  std::vector<int> ids() const override;
  std::optional<Capabilities> capabilities(int id) const override;
  std::optional<Accepted> check(const AlgoConfig& config) const override;
  std::vector<AlgoConfig> ranked(const RankRequest& request) const override;

  /// The same as ranked(), but in the library's own structures, which may contain more than the settings.
  std::vector<cublasLtMatmulAlgo_t> ranked_algos(const RankRequest& request) const;

  /// The algorithm with these settings, whether or not it can do this matmul. Empty if it has no such settings.
  std::optional<cublasLtMatmulAlgo_t> algo_of(const AlgoConfig& config) const;
  AlgoConfig config_of(const cublasLtMatmulAlgo_t& algo) const;
  std::optional<Accepted> check(const cublasLtMatmulAlgo_t& algo) const;

  /// Why the library has no first choice for this matmul, or "".
  std::string why_not() const;

  /// The alignment in bytes that the algorithm requires of every tensor.
  std::size_t alignment_of(const cublasLtMatmulAlgo_t& algo) const;

  /// How the algorithm computes: its cublasLtNumericalImplFlags_t.
  std::uint64_t arithmetic_of(const cublasLtMatmulAlgo_t& algo) const;

  /// Enqueues the call. Returns "" or the library's message. Does not allocate.
  const char* launch(const Addresses& at, const cublasLtMatmulAlgo_t& algo, std::size_t workspace_bytes,
                     cudaStream_t stream) const noexcept;

 private:
  template <typename Opaque>
  using Owned = std::unique_ptr<Opaque, cublasStatus_t (*)(Opaque*)>;
  using Operation = Owned<cublasLtMatmulDescOpaque_t>;
  using Layout = Owned<cublasLtMatrixLayoutOpaque_t>;
  using Preference = Owned<cublasLtMatmulPreferenceOpaque_t>;

  const Library& library() const { return session_->library(); }
  Operation create_operation() const;
  void describe(cublasLtMatmulDesc_t operation) const;
  void name_addresses(cublasLtMatmulDesc_t operation, const Addresses& at) const noexcept;
  Layout create_layout(DType type, const LibraryMatrix& matrix) const;
  Preference create_preference(const RankRequest& request) const;
  std::vector<cublasLtMatmulHeuristicResult_t> rank(const RankRequest& request) const;
  std::optional<cublasLtMatmulAlgo_t> plain_algo(int id) const;
  std::optional<cublasLtMatmulAlgo_t> init(int id) const;
  template <typename Value>
  cublasStatus_t set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                     Value value) const noexcept;
  template <typename Value>
  void must_set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value) const;
  bool can_do_this(const cublasLtMatmulAlgo_t& algo) const;  // by its capabilities for batches and epilogues
  bool keeps_operands(const cublasLtMatmulAlgo_t& algo) const;

  /// What a launch reads, side by side.
  struct Launcher {
    decltype(&::cublasLtMatmul) matmul{};
    cublasLtHandle_t handle{};
    const void* alpha{};
    const void* beta{};
    bool adds{};             // the residual is the library's C; otherwise that is the product itself, which is not read
    bool names_addresses{};  // in the description, where bias and scales are
  };

  Launcher launcher() const;

  Launcher launcher_;
  Operation operation_;
  Layout w_;
  Layout a_;
  Layout product_;
  std::shared_ptr<const Session> session_;
  MatmulSpec spec_{};
  LaunchSlots<Operation> launched_;  // each launch writes the addresses of scales and bias into a description
  mutable std::shared_mutex plain_algos_mutex_;
  mutable std::map<int, std::optional<cublasLtMatmulAlgo_t>> plain_algos_;  // as the library initialises them
};

}  // namespace gemmtune::cublaslt
