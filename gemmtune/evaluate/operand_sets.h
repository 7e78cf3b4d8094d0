// Several sets of the operands of one problem on the device. Launches that take the sets in turn find a cold cache,
// as kernels do between the other layers of a model.
// All candidates share the sets. Packed weights and workspaces belong to a candidate (loaded_candidate.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/guard.h"

namespace gemmtune {

/// How many sets make up twice the last-level cache: from 1 to 128, and no more than fit in an eighth of the device's
/// memory and in 4 GiB.
std::size_t rotation_count(const Problem& problem, const DeviceInfo& device);

/// The same for launches that read packed weights instead. Larger packed weights mean fewer sets. There are never
/// more sets than for unpacked weights, because the other operands exist only that often.
std::size_t rotation_count(const Problem& problem, const DeviceInfo& device, std::size_t packed_bytes);

/// How many sets fit in that share of memory, with packed weights beside: from 1 to 128.
std::size_t affordable_sets(const Problem& problem, const DeviceInfo& device, std::size_t packed_bytes);

class OperandSets {
 public:
  /// Begins with one set, whose inputs are not drawn yet.
  OperandSets(Device& device, const Problem& problem);

  /// The inputs of the first set, which those of the other sets are copies of.
  const Inputs& inputs() const { return sets_.front().inputs; }

  /// The inputs of this set. Its weights are missing where it uses those of another set.
  const Inputs& inputs(std::size_t set) const { return sets_[set].inputs; }
  bool has_weights(std::size_t set) const { return sets_[set].inputs.w.data() != nullptr; }

  std::size_t count() const { return sets_.size(); }

  /// Adds sets until there are `count`. The new sets get weights only where candidates use them unpacked.
  void grow(std::size_t count);
  void copy_weights();

  /// A set without weights of its own uses those of another set.
  Operands operands(std::size_t set) const;

  GuardedBuffer& c(std::size_t set) { return sets_[set].c; }
  const GuardedBuffer& c(std::size_t set) const { return sets_[set].c; }

  /// Copies all inputs from the first set again, and restores the guards of every C.
  void restore();

 private:
  struct Set {
    Inputs inputs{};
    GuardedBuffer c{};
  };

  /// Gives each set that lacks this input a copy of the first set's.
  void duplicate(Buffer Inputs::*input, std::span<Set> sets);

  Device* device_;
  Problem problem_;
  std::vector<Set> sets_;
};

}  // namespace gemmtune
