#include "gemmtune/cli/tune/relatives_text.h"

#include <fmt/format.h>

#include "gemmtune/trials/reproducer.h"
#include "gemmtune/tune/relatives.h"

namespace gemmtune {

std::string relatives_text(const ShapeResult& result) {
  const auto relatives = crashed_relatives(result);
  if (relatives.empty()) return {};
  const auto& problem = result.shape.problem;
  const auto& winner = result.winner->candidate;
  const auto& first = *relatives.front();
  return fmt::format(
      "{}: {} candidate{} of the winner's family {} crashed, hung or could not be launched, the first {}: {}; the "
      "winner {} shares their code and may fail too, seldom: try {}",
      to_string(problem), relatives.size(), relatives.size() == 1 ? "" : "s", winner.family, first.candidate.name,
      first.reason, winner.name, stress_command("gemmtune", problem, winner));
}

}  // namespace gemmtune
