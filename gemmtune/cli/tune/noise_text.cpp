#include "gemmtune/cli/tune/noise_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemmtune/cli/tune/progress_text.h"
#include "gemmtune/measure/noise.h"

namespace gemmtune {
namespace {

/// By which share of its time the winner may be slower than another finalist, if both are at the far ends of their
/// intervals.
double reach_of_intervals(const ShapeResult& result) {
  const auto& winner = result.winner->timing;
  double fastest_us = winner.low_us;
  for (const auto& finalist : result.confirmed)
    if (finalist.timing.low_us > 0) fastest_us = std::min(fastest_us, finalist.timing.low_us);
  return fastest_us > 0 ? winner.high_us / fastest_us - 1 : 0;
}

/// Of the winner, the other finalists, and the default choice, each once.
void add_dispersions(const ShapeResult& result, std::vector<double>& dispersions) {
  if (!result.winner) return;
  const auto is_confirmed = [&](const Evaluation& evaluation) {
    return std::ranges::count(result.confirmed, evaluation.candidate, &Evaluation::candidate) > 0;
  };
  for (const auto& finalist : result.confirmed) dispersions.push_back(finalist.timing.dispersion);
  if (!is_confirmed(*result.winner)) dispersions.push_back(result.winner->timing.dispersion);
  const auto& default_choice = result.default_choice;
  if (default_choice && !is_confirmed(*default_choice) && !(default_choice->candidate == result.winner->candidate))
    dispersions.push_back(default_choice->timing.dispersion);
}

/// Where times scatter, other work that delays the default choice is a likelier reason for so large a gain.
bool is_doubtful(const ShapeResult& result) {
  constexpr double doubtful = 5;
  return speedup(result).value_or(0) > doubtful;
}

std::string doubtful_gains(std::span<const ShapeResult> results) {
  const auto count = std::ranges::count_if(results, is_doubtful);
  if (count == 0) return {};
  return fmt::format(
      "doubtful: {} above 5x, in a run whose times scatter: other work has probably delayed the default choice. The "
      "winner is right and proven; believe the gain when a quiet run repeats it\n",
      count == 1 ? "1 gain is" : fmt::format("{} gains are", count));
}

std::string shapes_text(std::ptrdiff_t count, std::size_t all) {
  return fmt::format("{} of {} shape{}", count, all, all == 1 ? "" : "s");
}

}  // namespace

bool has_error_bar(const ShapeResult& result) {
  return result.winner && result.winner->timing.high_us > result.winner->timing.low_us;
}

bool is_regret_of_noise(const ShapeResult& result) {
  return result.claim && has_error_bar(result) && !result.claim->is_reached() &&
         reach_of_intervals(result) >= result.claim->regret / 2;
}

std::string noise_lines(std::span<const ShapeResult> results) {
  std::vector<double> dispersions;
  for (const auto& result : results) add_dispersions(result, dispersions);
  auto text = noise_remark(dispersions);
  if (!text.empty()) text += " (--all --fresh)\n" + doubtful_gains(results);
  const auto wide = std::ranges::find_if(results, is_regret_of_noise);
  if (const auto count = std::ranges::count_if(results, is_regret_of_noise); count > 0)
    text += fmt::format(
        "regret: for {} the bound is above {:.3g} % mostly because the times scatter, not because candidates were left "
        "out: tune again when nothing else uses the device\n",
        shapes_text(count, results.size()), 100 * wide->claim->target);
  const auto is_unknown = [](const ShapeResult& result) { return result.claim && !has_error_bar(result); };
  if (const auto count = std::ranges::count_if(results, is_unknown); count > 0)
    text += fmt::format(
        "regret: not known for {}, since the winner's time has no error bar: it has one sample, or all its samples are "
        "equal\n",
        shapes_text(count, results.size()));
  return text;
}

}  // namespace gemmtune
