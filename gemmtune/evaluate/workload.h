// What all candidates of one problem share: operands on the device, and what the output should be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
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
  Stage stage{Stage::screen};  // where not all of C is compared, each stage compares other rows

  bool operator==(const WorkloadKey&) const = default;
};

class Workload {
 public:
  /// Draws the operands and computes the reference. The time is added to `cost`.
  Workload(Device& device, Examiner& examiner, const WorkloadKey& key, Cost& cost);

  const WorkloadKey& key() const { return key_; }

  /// Whether the key equals this workload's key in everything but the stage.
  bool has_operands_of(WorkloadKey key) const {
    key.stage = key_.stage;
    return key == key_;
  }

  OperandSets& sets() { return sets_; }

  /// Adds operand sets until there are this many.
  void grow(std::size_t set_count);

  /// Fills the set's C with poison. Its pattern is drawn at each call.
  void poison(std::size_t set);

  /// Goes on with the operands as they are in another stage.
  void enter(Stage stage, Cost& cost);

  /// Changes the sign of all of A, or of the weights, where they stand. Weights can be changed only in a set that has
  /// its own (has_weights). The first call needs a second reference, whose time is added to `cost`.
  void negate(Buffer Inputs::*input, std::size_t set, Cost& cost);
  bool has_gaps() const;            // between the rows or the matrices of C
  bool can_negate_weights() const;  // whether each of their values has a negative
  bool has_weights(std::size_t set) const { return sets_.has_weights(set); }

  /// Undoes negate(). Only poison() and judge() may be called between negate() and this.
  void bring_back(std::size_t set);

  /// Compares the set's C with the reference, which has the other sign if either A or the weights have. Where not all
  /// of C is compared, the first set is compared in other rows than the others.
  Verdict judge(std::size_t set);

  /// The sets [0, set_count) in random order, which differs at each call.
  std::vector<std::size_t> shuffled(std::size_t set_count);

  /// A random number in [0, count).
  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  /// Changes with the bits of the set's C, those in gaps of its layout included.
  std::uint64_t output_fingerprint(std::size_t set) const;

  /// "", or the name of an input that is no longer what was drawn, in the first set or in another one, which is drawn.
  std::string changed_input();
  std::string changed_input(std::size_t set) const;

  /// Whether the guards around every C and around `others` are unbroken.
  bool guards_intact(std::vector<const GuardedBuffer*> others) const;

  /// "", or which guards around any C are broken.
  std::string broken_guard() const;

  /// Makes operands, guards and reference anew, after a candidate has written where it must not.
  void restore();

 private:
  using Fingerprints = std::array<std::uint64_t, 6>;

  /// How a set differs from how it was made.
  struct SetState {
    Poison poison{};
    bool a_is_negated{};
    bool w_is_negated{};
  };

  /// Samples of rows in a stage. All candidates share them.
  static constexpr std::size_t samples_of_a_stage = 2;

  void draw();
  void negate_in_place(Buffer Inputs::*input, std::size_t set);
  void expect_first();
  std::unique_ptr<Expectation> expect(std::size_t sample, const VerifyPolicy& policy) const;
  std::unique_ptr<Expectation> expect_negated();
  Expectation& expectation(std::size_t set);
  Fingerprints fingerprints(std::size_t set) const;

  Device* device_;
  Examiner* examiner_;
  WorkloadKey key_;
  OperandSets sets_;
  std::vector<SetState> states_;
  std::mt19937_64 random_;
  Fingerprints fingerprints_{};
  std::array<std::unique_ptr<Expectation>, samples_of_a_stage> expectations_;  // those after the first when needed
  std::unique_ptr<Expectation> negated_;                                       // of the other sign; once it is needed
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
