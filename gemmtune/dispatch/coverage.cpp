#include "gemmtune/dispatch/coverage.h"

#include <algorithm>

namespace gemmtune {
namespace {

CoveredProblem covered(const WeighedProblem& asked, const Answer& answer, const std::optional<double>& tuned_us,
                       double default_slowdown) {
  CoveredProblem result{.asked = asked, .match = answer.match, .tuned_m = answer.tuned_m};
  const bool has_row = answer.match != MatchKind::fallback && answer.expected_us > 0;
  if (has_row) result.now_us = answer.expected_us;
  if (!has_row && tuned_us) result.now_us = *tuned_us * default_slowdown;
  if (tuned_us && answer.match != MatchKind::exact) result.gain_us = std::max(0.0, result.now_us - *tuned_us);
  return result;
}

void add(KindCoverage& kind, const CoveredProblem& problem) {
  ++kind.problems;
  kind.calls += problem.asked.calls;
  kind.now_us += problem.asked.calls * problem.now_us;
  kind.gain_us += problem.asked.calls * problem.gain_us;
}

}  // namespace

KindCoverage Coverage::total() const {
  KindCoverage sum;
  for (const auto& kind : kinds) {
    sum.problems += kind.problems;
    sum.calls += kind.calls;
    sum.now_us += kind.now_us;
    sum.gain_us += kind.gain_us;
  }
  return sum;
}

Coverage coverage_of(const TableIndex& index, const TimeModel& model, const CoverageQuestion& question) {
  Coverage coverage;
  for (const auto& asked : question.problems) {
    const auto answer = index.lookup(asked.problem, question.device);
    const auto problem = covered(asked, answer, model.estimate_us(asked.problem), question.default_slowdown);
    add(coverage.kinds[static_cast<std::size_t>(problem.match)], problem);
    coverage.unknown += problem.now_us > 0 ? 0 : 1;
    coverage.problems.push_back(problem);
  }
  std::ranges::stable_sort(coverage.problems, std::greater<>(),
                           [](const CoveredProblem& p) { return p.asked.calls * p.gain_us; });
  return coverage;
}

}  // namespace gemmtune
