#include "gemmtune/bench/duel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gemmtune/measure/pooling.h"

namespace gemmtune {
namespace {

ShapeBench reversed(ShapeBench bench) {
  std::ranges::reverse(bench.contenders);
  for (auto& winner : bench.winners) winner = bench.contenders.size() - 1 - winner;
  std::ranges::sort(bench.winners);
  return bench;
}

Duel without_measuring(const Challenge& challenge) {
  const Evaluation none{.candidate = challenge.a.candidate, .reason = "not measured: both tables choose it"};
  return {DuelVerdict::same_kernel,
          {.problem = challenge.problem, .contenders = {{challenge.a, none}, {challenge.b, none}}}};
}

Duel judged(ShapeBench bench, const DuelRules& rules) {
  const auto verdict = judge(bench.contenders[0], bench.contenders[1], rules);
  return {verdict, std::move(bench)};
}

/// Both to within the least improvement: more measurements would change nothing.
bool is_settled_tie(const MeasuredContender& a, const MeasuredContender& b, const DuelRules& rules) {
  const auto range = improvement_range_pct(a, b);
  return range && range->low > -rules.min_improvement_pct && range->high < rules.min_improvement_pct;
}

/// Measures both in turns and, while it is not clear which is faster, again with their operands at other places. All
/// times count.
std::optional<Duel> measured(Evaluator& evaluator, const Challenge& challenge, BenchPlan plan, const DuelRules& rules) {
  std::vector<std::vector<Evaluation>> confirmations;
  const auto confirm = plan.tune.confirm;
  for (std::int64_t placement = 0;; ++placement) {
    plan.tune.confirm = with_placement(confirm, placement);
    auto bench = measure_interleaved(evaluator, challenge.problem, {challenge.a, challenge.b}, plan);
    if (!bench) return std::nullopt;
    auto& a = bench->contenders[0];
    auto& b = bench->contenders[1];
    if (!a.has_time() || !b.has_time() || a.screened_only || b.screened_only) return judged(std::move(*bench), rules);
    confirmations.push_back({a.evaluation, b.evaluation});
    const auto together = pooled(confirmations);
    a.evaluation = together[0];
    b.evaluation = together[1];
    auto duel = judged(std::move(*bench), rules);
    const auto& now = duel.bench.contenders;
    if (duel.verdict != DuelVerdict::undecided || is_settled_tie(now[0], now[1], rules) ||
        placement + 1 == rules.measurements)
      return duel;
  }
}

/// The second measurement starts with the other kernel: drift and luck that favoured b in the first favour a now.
std::optional<Duel> repeated(Evaluator& evaluator, const Challenge& challenge, BenchPlan plan, const DuelRules& rules) {
  plan.prove = true;
  auto bench = measure_interleaved(evaluator, challenge.problem, {challenge.b, challenge.a}, plan);
  if (!bench) return std::nullopt;
  auto again = judged(reversed(std::move(*bench)), rules);
  if (!replaces(again.verdict)) again.verdict = DuelVerdict::not_repeated;
  return again;
}

}  // namespace

std::string_view to_string(DuelVerdict verdict) {
  switch (verdict) {
    case DuelVerdict::same_kernel:
      return "same kernel";
    case DuelVerdict::improved:
      return "improved";
    case DuelVerdict::a_has_none:
      return "improved: a has none that is right";
    case DuelVerdict::too_little:
      return "improved too little";
    case DuelVerdict::undecided:
      return "undecided";
    case DuelVerdict::worse:
      return "worse";
    case DuelVerdict::b_has_none:
      return "b has none that is right";
    case DuelVerdict::neither:
      return "neither has one that is right";
    case DuelVerdict::not_repeated:
      return "improved once, not again";
  }
  return "";
}

bool replaces(DuelVerdict verdict) { return verdict == DuelVerdict::improved || verdict == DuelVerdict::a_has_none; }

std::optional<double> improvement_pct(const MeasuredContender& a, const MeasuredContender& b) {
  if (!a.has_time() || !b.has_time()) return std::nullopt;
  return (a.time_us() - b.time_us()) / a.time_us() * 100;
}

std::optional<ImprovementRange> improvement_range_pct(const MeasuredContender& a, const MeasuredContender& b) {
  if (!a.has_time() || !b.has_time()) return std::nullopt;
  const auto& of_a = a.evaluation.timing;
  const auto& of_b = b.evaluation.timing;
  return ImprovementRange{.low = (of_a.low_us - of_b.high_us) / a.time_us() * 100,
                          .high = (of_a.high_us - of_b.low_us) / a.time_us() * 100};
}

DuelVerdict judge(const MeasuredContender& a, const MeasuredContender& b, const DuelRules& rules) {
  if (!a.has_time() && !b.has_time()) return DuelVerdict::neither;
  if (!a.has_time()) return DuelVerdict::a_has_none;
  if (!b.has_time()) return DuelVerdict::b_has_none;
  if (a.evaluation.timing.high_us < b.evaluation.timing.low_us) return DuelVerdict::worse;
  if (b.evaluation.timing.high_us >= a.evaluation.timing.low_us) return DuelVerdict::undecided;
  return *improvement_pct(a, b) >= rules.min_improvement_pct ? DuelVerdict::improved : DuelVerdict::too_little;
}

std::optional<Duel> duel(Evaluator& evaluator, const Challenge& challenge, const BenchPlan& plan,
                         const DuelRules& rules) {
  const auto& [problem, a, b] = challenge;
  if (!a.candidate.name.empty() && a.candidate == b.candidate) return without_measuring(challenge);
  auto first = measured(evaluator, challenge, plan, rules);
  return first && replaces(first->verdict) ? repeated(evaluator, challenge, plan, rules) : std::move(first);
}

}  // namespace gemmtune
