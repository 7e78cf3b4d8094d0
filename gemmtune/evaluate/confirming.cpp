#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/turns.h"

namespace gemmtune {
namespace {

/// On how many operand sets finalists are checked before and after they are timed. Other sets are drawn each time, so
/// that no kernel can be right on those that are checked alone.
constexpr std::size_t sets_before = 8;
constexpr std::size_t sets_after = 2;

std::vector<std::size_t> draw_sets(Workload& workload, const Attempt& attempt, std::size_t most) {
  auto sets = workload.shuffled(attempt.set_count());
  sets.resize(std::min(most, sets.size()));
  return sets;
}

/// The packed weights and workspaces of candidates that are timed together may take this share of the memory.
constexpr std::size_t memory_share = 3;

class Confirmation {
 public:
  Confirmation(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer)
      : bench_(bench), request_(request), observer_(observer) {}

  void run() {
    std::vector<Attempt> waiting;
    for (const auto& candidate : request_.candidates) {
      observer_.started(candidate);
      Attempt attempt(bench_.device, candidate, Stage::confirm);
      if (attempt.prepare(bench_.families, request_.problem))
        waiting.push_back(std::move(attempt));
      else
        report(attempt);
    }
    while (!waiting.empty() && !bench_.interrupted) confirm_together(take_group(waiting));
  }

 private:
  void report(Attempt& attempt) {
    attempt.release();
    observer_.evaluated(attempt.evaluation());
  }

  /// The first candidates that fit into memory together; at least one.
  std::vector<Attempt> take_group(std::vector<Attempt>& waiting) const {
    const auto wanted = [&](const Attempt& attempt) { return attempt.bytes(rotation(bench_, request_, attempt)); };
    const auto memory = static_cast<std::size_t>(bench_.device.info().memory_bytes);
    std::size_t bytes = 0;
    auto end = waiting.begin();
    do bytes += wanted(*end++);
    while (end != waiting.end() && (memory == 0 || bytes + wanted(*end) <= memory / memory_share));
    std::vector<Attempt> group(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
    waiting.erase(waiting.begin(), end);
    return group;
  }

  void confirm_together(std::vector<Attempt> group) {
    std::vector<Attempt> timed;
    std::vector<std::optional<Failure>> flaws;  // of each of those
    for (auto& attempt : group) {
      if (bench_.interrupted) return;
      if (!check_first(attempt)) {
        report(attempt);
        continue;
      }
      flaws.push_back(attempt.alive() ? std::nullopt : std::optional(attempt.reopen()));
      if (flaws.back()) attempt.stop_judging();
      timed.push_back(std::move(attempt));
    }
    time_in_turn(bench_, request_, timed, observer_);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (bench_.interrupted) return;
      if (flaws[i])
        timed[i].settle(*std::move(flaws[i]));
      else if (timed[i].alive())
        check_again(timed[i]);
      report(timed[i]);
    }
  }

  /// Whether the candidate is timed: it is right, or it is inaccurate and nothing worse.
  bool check_first(Attempt& attempt) {
    observer_.started(attempt.candidate());
    Workload* workload = timed_workload(bench_, request_, attempt);
    if (workload == nullptr) return false;
    const auto sets = rotation(bench_, request_, attempt);
    if (attempt.equip(*workload, sets) && attempt.copy_weights(*workload))
      static_cast<void>(attempt.check(*workload, draw_sets(*workload, attempt, sets_before)));
    return attempt.inputs_intact(*workload) && (attempt.alive() || is_merely_inaccurate(attempt.evaluation()));
  }

  void check_again(Attempt& attempt) {
    observer_.started(attempt.candidate());
    Workload* workload = timed_workload(bench_, request_, attempt);
    if (workload == nullptr) return;
    const auto sets = draw_sets(*workload, attempt, sets_after);
    const bool right = attempt.check(*workload, sets) && attempt.check_changed(*workload, std::span(sets).first(1));
    if (!right) attempt.drop_timing();
    attempt.inputs_intact(*workload);
  }

  const Workbench& bench_;
  const EvaluationRequest& request_;
  EvaluationObserver& observer_;
};

}  // namespace

void confirm(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
  Confirmation(bench, request, observer).run();
}

}  // namespace gemmtune
