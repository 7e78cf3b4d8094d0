// One candidate's way through a stage: prepare, equip, check, time, inspect. Each step succeeds or settles the outcome,
// and says which by its result; none throws for the candidate's sake, but for DeviceLost. The time of each goes to the
// evaluation's cost.
//
// Not: the order of the steps, which is the stages' business (screening.h, confirming.h, proving.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
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

  /// Runs a step of the caller's; what it throws settles the outcome.
  [[nodiscard]] bool step(Blame blame, const std::function<void()>& work);

  [[nodiscard]] bool prepare(const Families& families, const Problem& problem);

  /// Memory for launches on `set_count` sets, and the weights packed for the first.
  [[nodiscard]] bool equip(Workload& workload, std::size_t set_count);

  /// Gives the other sets their weights, packed or not.
  [[nodiscard]] bool copy_weights(Workload& workload);

  /// Poisons C of each of these sets, launches on it, and compares.
  [[nodiscard]] bool check(Workload& workload, std::span<const std::size_t> sets);

  /// Runs something that launches, and waits for it; `cost` of the evaluation is charged.
  [[nodiscard]] bool run(double Cost::*cost, const std::function<void()>& launches);

  /// Whether guards are unbroken and inputs unchanged; repairs the workload where not, since others use it too.
  bool guards_intact(Workload& workload);
  bool inputs_intact(Workload& workload);

  /// On the workload's sets in turn. Valid as long as this and the workload stay where they are.
  Timer::Launch launches(Workload& workload, const MeasurePolicy& policy);

  /// The first outcome but ok stays.
  void settle(Failure failure);

  /// Takes an outcome back, for a stage that counts it otherwise.
  Failure reopen();

  /// A note beside an outcome of ok.
  void remark(std::string text) { evaluation_.reason = std::move(text); }

  /// Frees what equip() took; and the kernel too, after which there is but the evaluation.
  void unequip();
  void release();

  bool alive() const { return evaluation_.outcome == Outcome::ok; }
  std::size_t bytes(std::size_t set_count) const { return loaded_ ? loaded_->bytes(set_count) : 0; }
  std::size_t packed_bytes() const { return loaded_ ? loaded_->packed_bytes() : 0; }
  std::size_t set_count() const { return loaded_ ? loaded_->set_count() : 0; }

  const Evaluation& evaluation() const { return evaluation_; }
  const Candidate& candidate() const { return evaluation_.candidate; }
  Cost& cost() { return evaluation_.cost; }

  /// Keeps what is known of memory and packing.
  void set_timing(Timing timing, ClockReading clock);

 private:
  void note(const Accuracy& accuracy);

  /// The damage that is found, "" for none; also of what has failed before. What it throws settles the outcome.
  std::string inspect(const std::function<std::string()>& find_damage);
  bool repair(Workload& workload, std::string damage);

  Device* device_;
  Evaluation evaluation_;
  std::unique_ptr<LoadedCandidate> loaded_;
};

}  // namespace gemmtune
