#include "gemmtune/tune/relatives.h"

#include <set>

namespace gemmtune {
namespace {

bool may_be_a_race(Outcome outcome) {
  return outcome == Outcome::crashed || outcome == Outcome::launch_failed || outcome == Outcome::timed_out;
}

}  // namespace

std::vector<const Evaluation*> crashed_relatives(const ShapeResult& result) {
  std::vector<const Evaluation*> relatives;
  if (!result.winner) return relatives;
  std::set<std::string> names;
  for (const Evaluation& failure : result.failures) {
    const auto& candidate = failure.candidate;
    const bool is_relative = candidate.family == result.winner->candidate.family && may_be_a_race(failure.outcome);
    if (is_relative && names.insert(candidate.name).second) relatives.push_back(&failure);
  }
  return relatives;
}

}  // namespace gemmtune
