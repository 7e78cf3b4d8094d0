// What the candidates of one problem share: operands on the device, and what they should come to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/evaluate/operand_sets.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/reference.h"
#include "gemmtune/verify/verifier.h"

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
  /// Draws, computes the reference and uploads; the time goes to `cost`.
  Workload(Device& device, const WorkloadKey& key, Cost& cost);

  const WorkloadKey& key() const { return key_; }
  OperandSets& sets() { return sets_; }

  /// Makes operand sets until there are this many.
  void grow(std::size_t set_count);

  /// Fills the set's C with poison.
  void poison(std::size_t set);

  /// Compares the set's C with the reference. The same bytes as the last right ones are not compared again.
  Verdict judge(std::size_t set);

  /// "" or which guard words around any C are broken.
  std::string broken_guard() const;

  /// Puts operands and guards back as they were, after a candidate has written where it must not.
  void restore();

 private:
  Workload(Device& device, const WorkloadKey& key, HostOperands operands, Cost& cost);

  Device* device_;
  WorkloadKey key_;
  Reference reference_;
  OperandSets sets_;
  std::vector<std::byte> right_;  // the last C that was right
  Verdict right_verdict_{};
};

/// Keeps the last workload asked for.
class WorkloadCache {
 public:
  explicit WorkloadCache(Device& device) : device_(&device) {}

  /// What it costs to make one goes to the candidate that is the first to need it.
  Workload& get(const WorkloadKey& key, Cost& cost);

 private:
  Device* device_;
  std::unique_ptr<Workload> last_;
};

}  // namespace gemmtune
