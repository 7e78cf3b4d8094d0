// The operands of one problem on the device, several times over: launches that take the sets in turn find a cold cache,
// as kernels do between the other layers of a model.
//
// Shared by all candidates. Not: packed weights and workspaces, which belong to a candidate (loaded_candidate.h).
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

/// How many sets make up twice the last-level cache: at least 1, at most 128, and no more than fit in an eighth of the
/// memory and in 4 GiB.
std::size_t rotation_count(const Problem& problem, const DeviceInfo& device);

/// The same for launches that read packed weights instead: fewer sets where those are larger than the problem's own,
/// never more, since the other operands are there no more often.
std::size_t rotation_count(const Problem& problem, const DeviceInfo& device, std::size_t packed_bytes);

class OperandSets {
 public:
  /// One set, whose inputs are still to be drawn.
  OperandSets(Device& device, const Problem& problem);

  /// The first set's, which those of the others are copies of.
  const Inputs& inputs() const { return sets_.front().inputs; }

  std::size_t count() const { return sets_.size(); }

  /// Makes further sets until there are `count`; their weights only where candidates use them unpacked.
  void grow(std::size_t count);
  void copy_weights();

  /// Weights of another set stand in where this one has none of its own.
  Operands operands(std::size_t set) const;

  GuardedBuffer& c(std::size_t set) { return sets_[set].c; }
  const GuardedBuffer& c(std::size_t set) const { return sets_[set].c; }

  /// Copies all inputs from the first set again, and makes the guards of every C whole.
  void restore();

 private:
  struct Set {
    Inputs inputs{};
    GuardedBuffer c{};
  };

  /// Gives each of the sets that has none a copy of this input of the first set.
  void duplicate(Buffer Inputs::*input, std::span<Set> sets);

  Device* device_;
  Problem problem_;
  std::vector<Set> sets_;
};

}  // namespace gemmtune
