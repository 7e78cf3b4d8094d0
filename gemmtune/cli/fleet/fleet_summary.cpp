#include "gemmtune/cli/fleet/fleet_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/fleet/attempt_log.h"
#include "gemmtune/measure/ranking.h"

namespace gemmtune {
namespace {

/// The trial whose time the run states, which has everything that was measured; where there is none, the time alone.
Evaluation evaluation_of(const std::vector<Trial>& trials, const std::string& name, double time_us) {
  for (auto trial = trials.rbegin(); trial != trials.rend(); ++trial)
    if (trial->evaluation.candidate.name == name && trial->evaluation.timing.median_us == time_us)
      return trial->evaluation;
  return {.candidate = {.name = name}, .timing = {.median_us = time_us}};
}

void add_default_choice(ShapeResult& result, Evaluation default_choice) {
  const std::array both{*result.winner, default_choice};
  if (rank(both).tied.size() == both.size()) result.tied = {default_choice.candidate.name};
  result.default_choice = std::move(default_choice);
}

/// A later trial of a candidate at the same stage replaces the earlier one.
std::vector<Evaluation> failures_in(const std::vector<Trial>& trials) {
  std::map<std::string, Evaluation> latest;
  for (const auto& trial : trials) latest.insert_or_assign(trial.evaluation.candidate.name, trial.evaluation);
  std::vector<Evaluation> failures;
  for (auto& [name, evaluation] : latest)
    if (evaluation.outcome != Outcome::ok) failures.push_back(std::move(evaluation));
  return failures;
}

std::vector<Trial> trials_of(const FleetSummaryParts& parts, const Problem& problem) {
  if (!parts.with_trials) return {};
  auto trials = parts.store.of(problem);
  std::erase_if(trials, [&](const Trial& trial) { return model_of(trial.context.device) != model_of(parts.device); });
  return trials;
}

/// The row says who won. Its time may be rounded; the one of the run is not.
void add_winner(ShapeResult& result, const TunedRow& row, const RunResult* told, const std::vector<Trial>& trials) {
  const bool is_told = told != nullptr && told->winner == row.kernel_name;
  result.winner = evaluation_of(trials, row.kernel_name, is_told ? told->time_us : row.time_us);
  if (is_told && !told->default_choice.empty())
    add_default_choice(result, evaluation_of(trials, told->default_choice, told->default_us));
}

ShapeResult result_of(const FleetSummaryParts& parts, const Shape& shape, const RunResult* told) {
  ShapeResult result{.shape = shape, .complete = true};
  const auto row = parts.tuned.find(shape.problem);
  const auto failed = parts.why_shard.find(shape.problem);
  result.reached = row != parts.tuned.end() || failed != parts.why_shard.end() || parts.done.contains(shape.problem);
  const auto trials = result.reached ? trials_of(parts, shape.problem) : std::vector<Trial>();
  result.failures = failures_in(trials);
  if (row != parts.tuned.end())
    add_winner(result, row->second, told, trials);
  else if (failed != parts.why_shard.end())
    result.why_failed = failed->second;
  else
    result.why_failed = !result.reached ? parts.why_not_reached : told != nullptr ? told->why_failed : "";
  return result;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

}  // namespace

std::vector<ShapeResult> fleet_results(const FleetSummaryParts& parts) {
  std::map<Problem, RunResult> told;
  for (auto& result : parts.store.results(parts.run)) told.insert_or_assign(result.problem, std::move(result));
  std::vector<ShapeResult> results;
  results.reserve(parts.inputs.shapes.size());
  for (const auto& shape : parts.inputs.shapes) {
    const auto found = told.find(shape.problem);
    results.push_back(result_of(parts, shape, found == told.end() ? nullptr : &found->second));
  }
  return results;
}

std::map<Problem, std::string> shapes_of_failed(const RunFolder& folder, const FleetOutcome& outcome) {
  std::map<Problem, std::string> shapes;
  for (const auto shard : outcome.failed) {
    const auto log = read_attempts(folder.attempts_of(shard));
    const auto why = log.tries.empty() ? "" : log.tries.back().why;
    for (const auto& shape : read_shapes(folder.shapes_of(shard), {}).shapes)
      shapes.emplace(shape.problem, fmt::format("shard {} failed on every host that tried it: {}", shard, why));
  }
  return shapes;
}

std::string why_not_reached(const FleetOutcome& outcome, const std::string& budget) {
  if (outcome.was_stopped) return "the run was stopped";
  return outcome.is_out_of_time ? fmt::format("the budget of {} is spent", budget) : "no device is left";
}

std::string shards_text(const FleetOutcome& outcome, const std::string& budget) {
  std::string text;
  if (!outcome.failed.empty())
    text += counted(outcome.failed.size(), "shard", "shards") + " failed on every host that tried them\n";
  if (!outcome.unfinished.empty())
    text += fmt::format("{}: {} left; the same command goes on there\n", why_not_reached(outcome, budget),
                        counted(outcome.unfinished.size(), "shard is", "shards are"));
  return text;
}

}  // namespace gemmtune
