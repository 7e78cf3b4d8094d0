#include "gemmtune/bench/duel.h"

#include <algorithm>
#include <utility>

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

/// Drift and luck that favoured b at first favour a now.
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
  auto bench = measure_interleaved(evaluator, problem, {a, b}, plan);
  if (!bench) return std::nullopt;
  auto first = judged(std::move(*bench), rules);
  return replaces(first.verdict) ? repeated(evaluator, challenge, plan, rules) : std::move(first);
}

}  // namespace gemmtune
