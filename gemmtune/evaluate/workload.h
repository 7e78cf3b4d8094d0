// What all candidates of one problem share: operands on the device, and what the output should be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/evaluate/operand_sets.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/examiner.h"

namespace gemmtune {

struct WorkloadKey {
  Problem problem{};
  Recipe recipe{Recipe::gaussian};
  std::uint64_t seed{};
  VerifyPolicy verify{};

  bool operator==(const WorkloadKey&) const = default;
};

class Workload {
 public:
  /// Draws the operands and computes the reference. The time is added to `cost`.
  Workload(Device& device, Examiner& examiner, const WorkloadKey& key, Cost& cost);

  const WorkloadKey& key() const { return key_; }
  OperandSets& sets() { return sets_; }

  /// Adds operand sets until there are this many.
  void grow(std::size_t set_count);

  /// Fills the set's C with poison.
  void poison(std::size_t set);

  /// Compares the set's C with the reference.
  Verdict judge(std::size_t set);

  /// Changes with the bits of the set's C, and with its guards.
  std::uint64_t output_fingerprint(std::size_t set) const;

  /// "", or the name of the first set's input that is no longer what was drawn.
  std::string changed_input() const;

  /// Whether the guards around every C and around `others` are unbroken.
  bool guards_intact(std::vector<const GuardedBuffer*> others) const;

  /// "", or which guards around any C are broken.
  std::string broken_guard() const;

  /// Makes operands, guards and reference anew, after a candidate has written where it must not.
  void restore();

 private:
  using Fingerprints = std::array<std::uint64_t, 6>;

  void draw();
  std::unique_ptr<Expectation> expect() const;
  Fingerprints fingerprints() const;

  Device* device_;
  Examiner* examiner_;
  WorkloadKey key_;
  OperandSets sets_;
  Fingerprints fingerprints_{};
  std::unique_ptr<Expectation> expectation_;
};

/// Keeps the last workload that was asked for. If the next one is of the same problem with another seed, and both take
/// little of the device's memory, the last one is kept beside it: the operands then lie at other addresses, which an
/// allocator would otherwise give to them again (space/policy.h, with_placement()).
class WorkloadCache {
 public:
  explicit WorkloadCache(Device& device) : device_(&device), examiner_(make_examiner(device)) {}

  /// The candidate that needs a workload first is charged for making it.
  Workload& get(const WorkloadKey& key, Cost& cost);

 private:
  bool can_stay_beside(const WorkloadKey& next) const;

  Device* device_;
  std::unique_ptr<Examiner> examiner_;
  std::unique_ptr<Workload> last_;
  std::unique_ptr<Workload> previous_;  // occupies its addresses, and is not used
};

}  // namespace gemmtune
