#include "gemmtune/evaluate/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {
namespace {

const KernelFamily& find_family(const Families& families, const std::string& name) {
  for (const auto& family : families)
    if (family->name() == name) return *family;
  fail(ErrorCode::unsupported, "this build has no family \"{}\"", name);
}

std::unique_ptr<PreparedGemm> prepare_gemm(const KernelFamily& family, const Problem& problem,
                                           const Candidate& candidate, const DeviceInfo& device) {
  if (const auto why = why_invalid(problem); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  if (const auto support = family.supports(problem, device); !support)
    fail(ErrorCode::unsupported, "{}", support.why_not);
  auto gemm = family.prepare(problem, candidate, device);
  if (!problem.packed && gemm->packed_weight_bytes() > 0)
    fail(ErrorCode::internal, "wants packed weights where each call finds them as they are");
  return gemm;
}

}  // namespace

Attempt::Attempt(Device& device, const Candidate& candidate, Stage stage)
    : device_(&device), evaluation_{.candidate = candidate, .stage = stage} {}

bool Attempt::step(Blame blame, const std::function<void()>& work) {
  if (auto failure = failure_of(blame, work)) {
    settle(*std::move(failure));
    if (device_->lost()) throw DeviceLost(evaluation_);
  }
  return alive();
}

bool Attempt::prepare(const Families& families, const Problem& problem) {
  const ScopedSeconds preparing(cost().prepare_s);
  return step(blame_prepare, [&] {
    const auto& family = find_family(families, candidate().family);
    loaded_ = std::make_unique<LoadedCandidate>(*device_, prepare_gemm(family, problem, candidate(), device_->info()));
  });
}

bool Attempt::equip(Workload& workload, std::size_t set_count) {
  const auto allocate = [&] {
    const ScopedSeconds allocating(cost().operands_s);
    loaded_->allocate(set_count);
  };
  if (!step(blame_launch, allocate)) return false;
  const ScopedSeconds packing(cost().prepare_s);
  const auto start = SteadyClock::now();
  if (!step(blame_prepare, [&] { loaded_->pack(workload.sets()); })) return false;
  if (!step(blame_launch, [&] { device_->stream().synchronize(); })) return false;
  auto& timing = evaluation_.timing;
  timing.workspace_bytes = static_cast<std::int64_t>(loaded_->workspace_bytes());
  timing.packed_bytes = static_cast<std::int64_t>(loaded_->packed_bytes());
  timing.pack_us = loaded_->packs() ? seconds_since(start) * 1e6 : 0;
  return true;
}

bool Attempt::copy_weights(Workload& workload) {
  const ScopedSeconds copying(cost().operands_s);
  return step(blame_launch, [&] {
    if (loaded_->packs()) return loaded_->copy_packed();
    if (loaded_->set_count() > 1) workload.sets().copy_weights();
  });
}

bool Attempt::check(Workload& workload, std::span<const std::size_t> sets) {
  const auto launch_each = [&] {
    for (const auto set : sets) workload.poison(set);
    for (const auto set : sets) loaded_->launch(workload.sets(), set);
  };
  if (!run(&Cost::verify_s, launch_each) || !guards_intact(workload)) return false;
  const bool right = std::ranges::all_of(sets, [&](std::size_t set) { return judge(workload, set, ""); });
  if (!right) explain_by_changed_input(workload, sets);
  return right;
}

void Attempt::explain_by_changed_input(Workload& workload, std::span<const std::size_t> sets) {
  if (evaluation_.outcome != Outcome::wrong_result) return;
  for (const auto set : sets) {
    const auto changed = inspect([&] { return workload.changed_input(set); });
    if (changed.empty()) continue;
    static_cast<void>(reopen());
    repair(workload, "changed its input: " + changed);
    return;
  }
}

bool Attempt::check_changed(Workload& workload, std::span<const std::size_t> sets) {
  return std::ranges::all_of(sets, [&](std::size_t set) {
    const bool changes_weights = !packs() && workload.has_weights(set) && workload.can_negate_weights();
    const bool right =
        check_negated(workload, set, &Inputs::a) && (!changes_weights || check_negated(workload, set, &Inputs::w));
    bring_back(workload, set);
    return right && alive();
  });
}

void Attempt::bring_back(Workload& workload, std::size_t set) {
  const auto restore = [&] {
    const ScopedSeconds restoring(cost().operands_s);
    workload.bring_back(set);
  };
  static_cast<void>(step(blame_launch, restore));
  explain_by_changed_input(workload, std::span(&set, 1));
}

bool Attempt::check_negated(Workload& workload, std::size_t set, Buffer Inputs::*input) {
  const auto context =
      fmt::format("after the sign of {} changed in place: ", input == &Inputs::a ? "A" : "the weights");
  return step(blame_launch, [&] { workload.negate(input, set, cost()); }) &&
         run(&Cost::verify_s, [&] { loaded_->launch(workload.sets(), set); }) && guards_intact(workload) &&
         judge(workload, set, context);
}

bool Attempt::launch_once(OperandSets& sets) {
  if (!step(blame_launch, [&] { loaded_->allocate(1); })) return false;
  if (!step(blame_prepare, [&] { loaded_->pack(sets); })) return false;
  if (!step(blame_launch, [&] { device_->stream().synchronize(); })) return false;
  return run(&Cost::verify_s, [&] { loaded_->launch(sets, 0); });
}

bool Attempt::judge(Workload& workload, std::size_t set, std::string_view context) {
  const ScopedSeconds verifying(cost().verify_s);
  return step(blame_launch, [&] {
    const auto verdict = workload.judge(set);
    note(verdict.accuracy);
    if (!verdict.why_wrong.empty()) settle({Outcome::wrong_result, fmt::format("{}{}", context, verdict.why_wrong)});
  });
}

bool Attempt::run(double Cost::*cost, const std::function<void()>& launches) {
  const ScopedSeconds running(evaluation_.cost.*cost);
  return step(blame_launch, [&] {
    launches();
    device_->stream().synchronize();
  });
}

bool Attempt::guards_intact(Workload& workload) {
  const auto damage = inspect([&] {
    if (workload.guards_intact(loaded_->guarded())) return std::string();
    auto broken = loaded_->broken_guard();
    return broken.empty() ? workload.broken_guard() : broken;
  });
  if (damage.empty()) return true;
  evaluation_.accuracy.guards_intact = false;
  return repair(workload, "wrote out of bounds: " + damage);
}

bool Attempt::inputs_intact(Workload& workload) {
  const auto changed = inspect([&] { return workload.changed_input(); });
  return changed.empty() || repair(workload, "changed its input: " + changed);
}

std::string Attempt::inspect(const std::function<std::string()>& find_damage) {
  const ScopedSeconds verifying(cost().verify_s);
  std::string damage;
  static_cast<void>(step(blame_launch, [&] { damage = find_damage(); }));
  return damage;
}

bool Attempt::repair(Workload& workload, std::string damage) {
  settle({Outcome::wrong_result, std::move(damage)});
  const ScopedSeconds restoring(cost().operands_s);
  static_cast<void>(step(blame_launch, [&] { workload.restore(); }));
  return false;
}

Timer::Launch Attempt::launches(Workload& workload, const MeasurePolicy& policy) {
  const auto set_count = loaded_->set_count();
  return {.run = [this, &workload, set_count](
                     std::int64_t i) { loaded_->launch(workload.sets(), static_cast<std::size_t>(i) % set_count); },
          .period = static_cast<std::int64_t>(set_count),
          .cold_instructions = policy.cold_instructions};
}

void Attempt::settle(Failure failure) {
  if (!alive()) return;
  evaluation_.outcome = failure.outcome;
  evaluation_.reason = std::move(failure.reason);
}

Failure Attempt::reopen() {
  return {std::exchange(evaluation_.outcome, Outcome::ok), std::exchange(evaluation_.reason, "")};
}

void Attempt::unequip() {
  const ScopedSeconds freeing(cost().operands_s);
  loaded_->free_memory();
}

void Attempt::release() {
  const ScopedSeconds freeing(cost().operands_s);
  loaded_.reset();
}

/// Over several checks, the worst of each.
void Attempt::note(const Accuracy& accuracy) {
  auto& worst = evaluation_.accuracy;
  worst.err_ratio = std::max(worst.err_ratio, accuracy.err_ratio);
  worst.worst_error = std::max(worst.worst_error, accuracy.worst_error);
  worst.worst_share_of_bound = std::max(worst.worst_share_of_bound, accuracy.worst_share_of_bound);
  worst.unwritten = std::max(worst.unwritten, accuracy.unwritten);
  worst.checked = std::max(worst.checked, accuracy.checked);
}

void Attempt::set_timing(Timing timing, ClockReading clock) {
  const auto& kept = evaluation_.timing;
  timing.pack_us = kept.pack_us;
  timing.packed_bytes = kept.packed_bytes;
  timing.workspace_bytes = kept.workspace_bytes;
  timing.clock_mhz = clock.clock_mhz;
  timing.throttled = clock.throttled;
  evaluation_.timing = std::move(timing);
}

}  // namespace gemmtune
