#include "gemmtune/report/store_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "gemmtune/core/text.h"
#include "gemmtune/measure/pooling.h"
#include "gemmtune/trials/reproducer.h"

namespace gemmtune {
namespace {

constexpr std::size_t stages = 3;

/// The latest trial of each stage; null for a stage without one.
using Career = std::array<const Trial*, stages>;

using Contender = std::tuple<DeviceTag, Problem, Candidate>;

DeviceTag tag_of(const DeviceInfo& device) { return {.gfx = device.arch, .cu_num = device.cu_num}; }

std::map<Contender, Career> careers_of(std::span<const Trial> trials) {
  std::map<Contender, Career> careers;
  for (const auto& trial : trials) {
    const auto stage = static_cast<std::size_t>(trial.evaluation.stage);
    careers[{tag_of(trial.context.device), trial.problem, trial.evaluation.candidate}].at(stage) = &trial;
  }
  return careers;
}

/// The trial that decides. A proof measures no time, so a candidate that passed its proof has the time of its
/// confirmation.
const Trial* deciding(const Career& career) {
  const auto [screened, confirmed, proved] = career;
  if (proved != nullptr && proved->evaluation.outcome != Outcome::ok) return proved;
  return confirmed != nullptr ? confirmed : screened;
}

std::string reproducer_of(const Trial& trial) {
  const auto& evaluation = trial.evaluation;
  if (evaluation.outcome == Outcome::ok) return {};
  return reproducer("gemmtune", trial.problem, evaluation);
}

bool is_proven(const Career& career) {
  const auto* proof = career.at(static_cast<std::size_t>(Stage::prove));
  return proof != nullptr && proof->evaluation.outcome == Outcome::ok;
}

Measurement measurement_of(const Trial& trial, const std::string& source) {
  const auto& evaluation = trial.evaluation;
  const auto [backend, kernel] = kernel_of(trial);
  return {.shape = shape_of(trial),
          .backend = backend,
          .kernel = kernel,
          .outcome = evaluation.outcome,
          .reason = evaluation.reason,
          .time_us = evaluation.timing.median_us,
          .low_us = evaluation.timing.low_us,
          .high_us = evaluation.timing.high_us,
          .err_ratio = evaluation.accuracy.err_ratio,
          .screened_only = evaluation.stage == Stage::screen,
          .reproducer = reproducer_of(trial),
          .where = fmt::format("{}#{}", source, trial.id)};
}

using ShapeKey = std::pair<DeviceTag, Problem>;

/// What was confirmed in turns, shape by shape: the batches of the latest search, one for each placement of operands. A
/// candidate that is confirmed again with the same placement belongs to another search. Rounds of a race have no
/// precision to aim at, and are no confirmations.
std::map<ShapeKey, std::vector<std::vector<Evaluation>>> confirmations_of(std::span<const Trial> trials) {
  std::map<ShapeKey, std::map<std::uint64_t, std::vector<Evaluation>>> by_seed;
  for (const auto& trial : trials) {
    const auto& policy = trial.context.policy;
    if (trial.evaluation.stage != Stage::confirm || policy.measure.target_dispersion == 0) continue;
    auto& batches = by_seed[{tag_of(trial.context.device), trial.problem}];
    const bool is_again =
        std::ranges::count(batches[policy.seed], trial.evaluation.candidate, &Evaluation::candidate) > 0;
    if (is_again) batches.clear();
    batches[policy.seed].push_back(trial.evaluation);
  }
  std::map<ShapeKey, std::vector<std::vector<Evaluation>>> confirmations;
  for (auto& [shape, batches] : by_seed)
    for (auto& [seed, evaluations] : batches) confirmations[shape].push_back(std::move(evaluations));
  return confirmations;
}

/// The times that decided between candidates, each from all of its confirmations, as the search that made them has it.
std::map<Contender, Timing> confirmed_times(std::span<const Trial> trials) {
  std::map<Contender, Timing> times;
  for (const auto& [shape, confirmations] : confirmations_of(trials))
    for (const auto& evaluation : pooled(confirmations))
      if (evaluation.outcome == Outcome::ok)
        times.insert_or_assign({shape.first, shape.second, evaluation.candidate}, evaluation.timing);
  return times;
}

/// Kernels that were confirmed in turns may be compared, those that were only screened or raced may not.
void take_confirmed_time(Measurement& measurement, const Timing& timing, const std::string& source) {
  measurement.time_us = timing.median_us;
  measurement.low_us = timing.low_us;
  measurement.high_us = timing.high_us;
  measurement.batch = source;
}

std::vector<std::string> notes_on_damage(const std::filesystem::path& path, const std::vector<DamagedRow>& rows) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> notes;
  for (const auto& row : std::span(rows).first(std::min(rows.size(), shown)))
    notes.push_back(fmt::format("{}: {}; left out", path.string(), to_string(row)));
  if (rows.size() > shown)
    notes.push_back(fmt::format("{}: {} rows in all cannot be read and are left out; 'gemmtune store check' lists them",
                                path.string(), rows.size()));
  return notes;
}

}  // namespace

ShapeId shape_of(const Trial& trial) { return {.device = tag_of(trial.context.device), .problem = trial.problem}; }

std::pair<std::string, std::string> kernel_of(const Trial& trial) {
  const auto& candidate = trial.evaluation.candidate;
  return {to_lower(candidate.family), candidate.name};
}

std::vector<Measurement> measurements_of(std::span<const Trial> trials, const std::string& source) {
  const auto confirmed = confirmed_times(trials);
  std::vector<Measurement> measurements;
  for (const auto& [contender, career] : careers_of(trials))
    if (const auto* trial = deciding(career)) {
      auto& measurement = measurements.emplace_back(measurement_of(*trial, source));
      measurement.unproven = measurement.outcome == Outcome::ok && !is_proven(career);
      const auto timing = confirmed.find(contender);
      if (measurement.outcome == Outcome::ok && timing != confirmed.end())
        take_confirmed_time(measurement, timing->second, source);
    }
  return measurements;
}

Readings read_store(const std::filesystem::path& path) {
  const auto store = TrialStore::open_read_only(path);
  Readings readings{.measurements = measurements_of(store.all(), path.string()), .sources = {path.string()}};
  for (const auto& run : store.runs()) static_cast<void>(store.results(run.id));  // the page shows them
  readings.notes = notes_on_damage(path, store.damaged());
  return readings;
}

}  // namespace gemmtune
