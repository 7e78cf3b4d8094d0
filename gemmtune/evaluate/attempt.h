// One candidate on its way through a stage: prepare, equip, check, time, inspect. Each step either succeeds or
// settles the outcome, and its result says which. No step throws because of the candidate, except for DeviceLost. The
// time that each step takes is added to the evaluation's cost.
// Not: the order of the steps, which the stages decide (stages.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/evaluate/failure.h"
#include "gemmtune/evaluate/loaded_candidate.h"
#include "gemmtune/evaluate/workload.h"
#include "gemmtune/families/family.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

using Families = std::vector<std::unique_ptr<KernelFamily>>;

class Attempt {
 public:
  Attempt(Device& device, const Candidate& candidate, Stage stage);

  /// Runs a step of the caller. What the step throws settles the outcome.
  [[nodiscard]] bool step(Blame blame, const std::function<void()>& work);

  [[nodiscard]] bool prepare(const Families& families, const Problem& problem);

  /// Allocates memory for launches on `set_count` operand sets, and packs the weights of the first set.
  [[nodiscard]] bool equip(Workload& workload, std::size_t set_count);

  /// Gives the other sets their weights, packed or unpacked.
  [[nodiscard]] bool copy_weights(Workload& workload);

  /// Poisons C of each of these sets, launches on the set, and compares.
  [[nodiscard]] bool check(Workload& workload, std::span<const std::size_t> sets);

  /// For sets that check() has passed: changes the sign of A where it stands, launches, and compares; then that of the
  /// weights too, if launches read them unpacked. C is not poisoned: it holds the output of the launch before, which is
  /// wrong now.
  [[nodiscard]] bool check_changed(Workload& workload, std::span<const std::size_t> sets);

  /// Brings operands of a set back whose sign was changed. An output was wrong because the candidate has changed its
  /// input, if it has: that is the reason then.
  void bring_back(Workload& workload, std::size_t set);

  /// Allocates, packs and launches once on the first of these sets, without a check.
  [[nodiscard]] bool launch_once(OperandSets& sets);

  /// Compares C of a set as it stands. The reason of a failure begins with `context`.
  [[nodiscard]] bool judge(Workload& workload, std::size_t set, std::string_view context);

  /// Runs something that launches, and waits for it. The time is charged to `cost` of the evaluation.
  [[nodiscard]] bool run(double Cost::*cost, const std::function<void()>& launches);

  /// Whether guards are unbroken and inputs unchanged. Damage is repaired, because other candidates use the workload
  /// too.
  bool guards_intact(Workload& workload);
  bool inputs_intact(Workload& workload);

  /// A candidate that is known to be inaccurate is timed, and its outputs are not judged again.
  void stop_judging() { is_judged_ = false; }
  bool is_judged() const { return is_judged_; }

  /// Whether launches read packed weights.
  bool packs() const { return loaded_ && loaded_->packs(); }

  /// A launch that takes the workload's sets in turn. Valid as long as this object and the workload stay where they
  /// are.
  Timer::Launch launches(Workload& workload, const MeasurePolicy& policy);

  /// Sets the outcome. Once the outcome is not ok, later calls change nothing.
  void settle(Failure failure);

  /// Takes an outcome back, for a stage that counts it differently.
  Failure reopen();

  /// A note beside an outcome of ok.
  void remark(std::string text) { evaluation_.reason = std::move(text); }

  /// unequip() frees what equip() took. release() frees the kernel as well; only the evaluation is left then.
  void unequip();
  void release();

  bool alive() const { return evaluation_.outcome == Outcome::ok; }
  std::size_t bytes(std::size_t set_count) const { return loaded_ ? loaded_->bytes(set_count) : 0; }
  std::size_t packed_bytes() const { return loaded_ ? loaded_->packed_bytes() : 0; }
  std::size_t set_count() const { return loaded_ ? loaded_->set_count() : 0; }

  const Evaluation& evaluation() const { return evaluation_; }
  const Candidate& candidate() const { return evaluation_.candidate; }
  Cost& cost() { return evaluation_.cost; }

  /// Keeps the timing, and what is known of memory and packing.
  void set_timing(Timing timing, ClockReading clock);

  /// Forgets the times of launches that turned out not to do the work. What is known of memory and packing stays.
  void drop_timing() { set_timing({}, {}); }

 private:
  void note(const Accuracy& accuracy);
  [[nodiscard]] bool check_negated(Workload& workload, std::size_t set, Buffer Inputs::*input);

  /// An output is wrong because the candidate has changed its input, if it has: that is the reason then.
  void explain_by_changed_input(Workload& workload, std::span<const std::size_t> sets);

  /// Returns the damage, "" if there is none. Also looks when the candidate has failed before. What it throws settles
  /// the outcome.
  std::string inspect(const std::function<std::string()>& find_damage);
  bool repair(Workload& workload, std::string damage);

  Device* device_;
  Evaluation evaluation_;
  std::unique_ptr<LoadedCandidate> loaded_;
  bool is_judged_{true};
};

}  // namespace gemmtune
