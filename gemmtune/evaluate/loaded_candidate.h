// A candidate that is ready to be launched on any of the operand sets: its kernel, its workspace, its packed weights.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/evaluate/operand_sets.h"
#include "gemmtune/families/family.h"
#include "gemmtune/verify/guard.h"

namespace gemmtune {

class LoadedCandidate {
 public:
  LoadedCandidate(Device& device, std::unique_ptr<PreparedGemm> gemm);

  /// Bytes that allocate() will take for this many sets.
  std::size_t bytes(std::size_t set_count) const;

  /// Throws Error{io} that says how much memory was needed.
  void allocate(std::size_t set_count);
  void free_memory();

  /// Packs the weights of the first set if the candidate packs. Packing may still be running on the stream when this
  /// returns.
  void pack(const OperandSets& sets);

  /// Copies the packed weights for the other sets.
  void copy_packed();

  bool packs() const { return gemm_->packed_weight_bytes() > 0; }
  std::size_t packed_bytes() const { return gemm_->packed_weight_bytes(); }
  std::size_t workspace_bytes() const { return gemm_->workspace_bytes(); }

  /// The number of sets on which the candidate can be launched.
  std::size_t set_count() const { return set_count_; }

  void launch(const OperandSets& sets, std::size_t set) noexcept;

  /// Bytes of its own memory.
  std::vector<const GuardedBuffer*> guarded() const;

  /// "", or which guards around its own memory are broken.
  std::string broken_guard() const;

 private:
  void allocate_packed(std::size_t set_count);

  Device* device_;
  std::unique_ptr<PreparedGemm> gemm_;
  std::size_t set_count_{};
  GuardedBuffer workspace_;
  Buffer arena_;  // the packed weights of all sets but the first, which kernels write to, in one block: its size is
                  // about the same for most candidates of a problem
  std::vector<GuardedBuffer> packed_;
};

}  // namespace gemmtune
