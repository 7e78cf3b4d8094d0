#include "gemmtune/evaluate/finalist.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace gemmtune {
namespace {

/// On how many operand sets finalists are checked before and after they are timed. Other sets are drawn each time, so
/// that no kernel can be right on those that are checked alone.
constexpr std::size_t sets_before = 8;
constexpr std::size_t sets_after = 2;

constexpr std::size_t memory_share = 3;

std::vector<std::size_t> draw_sets(Workload& workload, const Attempt& attempt, std::size_t most) {
  auto sets = workload.shuffled(attempt.set_count());
  sets.resize(std::min(most, sets.size()));
  return sets;
}

}  // namespace

bool check_before_timing(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt) {
  Workload* workload = timed_workload(bench, request, attempt);
  if (workload == nullptr) return false;
  const auto sets = rotation(bench, request, attempt);
  if (attempt.equip(*workload, sets) && attempt.copy_weights(*workload))
    static_cast<void>(attempt.check(*workload, draw_sets(*workload, attempt, sets_before)));
  return attempt.inputs_intact(*workload) && (attempt.alive() || is_merely_inaccurate(attempt.evaluation()));
}

void check_after_timing(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt) {
  Workload* workload = timed_workload(bench, request, attempt);
  if (workload == nullptr) return;
  const auto sets = draw_sets(*workload, attempt, sets_after);
  const bool right = attempt.check(*workload, sets) && attempt.check_changed(*workload, std::span(sets).first(1));
  if (!right) attempt.drop_timing();
  attempt.inputs_intact(*workload);
}

std::size_t memory_for_finalists(const Device& device) {
  const auto memory = static_cast<std::size_t>(device.info().memory_bytes);
  return memory == 0 ? std::numeric_limits<std::size_t>::max() : memory / memory_share;
}

}  // namespace gemmtune
