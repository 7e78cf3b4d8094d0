#include "tests/search/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <set>
#include <thread>

#include "gemmtune/measure/pooling.h"
#include "gemmtune/measure/statistics.h"
#include "gemmtune/search/race.h"

namespace gemmtune::invented {
namespace {

struct Space {
  std::vector<Candidate> candidates{};
  std::vector<double> times_us{};
};

std::vector<Candidate> grid() {
  std::vector<Candidate> candidates;
  for (const int tile : {32, 64, 128, 256})
    for (const int stages : {2, 3, 4, 6})
      for (const int group : {1, 2, 4, 8, 16, 32})
        candidates.push_back(
            {.family = "grid",
             .name = fmt::format("grid_{}_s{}_g{}", tile, stages, group),
             .params = {{"t", fmt::to_string(tile)}, {"s", fmt::to_string(stages)}, {"g", fmt::to_string(group)}}});
  return candidates;
}

/// How far a candidate is from the best place of the grid, in factors of two.
double distance(const Candidate& candidate, std::mt19937_64& engine, std::vector<double>& weights) {
  while (weights.size() < 6) weights.push_back(std::uniform_real_distribution<double>()(engine));
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double best = weights[i] * 4 + 1;
    sum += (0.3 + weights[3 + i]) * std::abs(std::log2(std::stod(candidate.params[i].value)) - best);
  }
  return sum;
}

Space space_of(SpaceKind kind, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Space space{.candidates = grid()};
  std::vector<double> weights;
  for (const auto& candidate : space.candidates) {
    const double off = kind == SpaceKind::rough ? 0.1 * std::abs(normal(engine))
                                                : 0.02 * distance(candidate, engine, weights) + 0.004 * normal(engine);
    space.times_us.push_back(100 * std::exp(off));
  }
  if (kind == SpaceKind::outlier)
    space.times_us[engine() % space.times_us.size()] = 0.8 * std::ranges::min(space.times_us);
  return space;
}

/// How many of the intervals hold the true time. What all candidates have in common belongs to the clock.
std::pair<double, double> covered_of(const Machine& machine, const std::vector<Evaluation>& finals) {
  std::vector<double> off;
  for (const auto& e : finals) off.push_back(std::log(e.timing.median_us / machine.time_us(e.candidate)));
  const double clock = median(off).value_or(0);
  double covered = 0;
  for (const auto& final : finals) {
    const double truth = machine.time_us(final.candidate) * std::exp(clock);
    covered += final.timing.low_us <= truth && truth <= final.timing.high_us ? 1 : 0;
  }
  return {covered, static_cast<double>(finals.size())};
}

struct Run {
  double regret{};
  RegretClaim claim{};
  double covered{};
  double intervals{};
  double device_s{};
  double exhaustive_s{};  // confirming all candidates once
  double looked_at{};
};

void add(Run& sum, const Run& run) {
  sum.regret += run.regret;
  sum.covered += run.covered;
  sum.intervals += run.intervals;
  sum.device_s += run.device_s;
  sum.exhaustive_s += run.exhaustive_s;
  sum.looked_at += run.looked_at;
}

EvaluationPolicy policy_of(const Batch& batch) {
  if (batch.stage == Stage::screen) return screen_policy();
  auto policy = with_placement(confirm_policy(), batch.placement);
  if (batch.again) return with_brief_warmup(policy);
  return batch.samples > 0 ? with_samples(policy, batch.samples) : policy;
}

Run race_on(Machine& machine) {
  Run run;
  RaceStrategy race(machine.candidates());
  std::set<Candidate> seen;
  std::vector<std::vector<Evaluation>> confirmations;
  for (auto batch = race.ask(); !batch.empty(); batch = race.ask()) {
    if (batch.stage == Stage::prove) {
      run.regret = machine.time_us(batch.candidates.front()) / machine.least_time_us() - 1;
      race.tell({.candidate = batch.candidates.front(), .stage = Stage::prove});
      continue;
    }
    const auto evaluations = machine.evaluate(batch.candidates, policy_of(batch));
    for (const auto& evaluation : evaluations) race.tell(evaluation);
    seen.insert(batch.candidates.begin(), batch.candidates.end());
    if (batch.stage == Stage::confirm && batch.samples == 0) confirmations.push_back(evaluations);
  }
  run.claim = race.claim().value_or(RegretClaim{});
  std::tie(run.covered, run.intervals) = covered_of(machine, pooled(confirmations));
  run.device_s = machine.spent_s();
  run.looked_at = static_cast<double>(seen.size()) / static_cast<double>(machine.candidates().size());
  return run;
}

Run run_of(const CalibrationCase& of, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto space = space_of(of.space, engine);
  Machine machine(space.candidates, space.times_us, of.noise, engine());
  auto run = race_on(machine);
  Machine other(space.candidates, space.times_us, of.noise, engine());
  static_cast<void>(other.evaluate(space.candidates, confirm_policy()));
  run.exhaustive_s = other.spent_s();
  return run;
}

/// The results do not depend on how many threads there are.
std::vector<Run> in_parallel(std::int64_t count, const std::function<Run(std::int64_t)>& work) {
  std::vector<Run> runs(static_cast<std::size_t>(count));
  std::atomic<std::int64_t> next{0};
  const auto take = [&] {
    for (auto i = next++; i < count; i = next++) runs[static_cast<std::size_t>(i)] = work(i);
  };
  std::vector<std::future<void>> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
    others.push_back(std::async(std::launch::async, take));
  take();
  for (auto& other : others) other.get();
  return runs;
}

}  // namespace

std::string to_string(SpaceKind kind) {
  return kind == SpaceKind::dense ? "dense" : kind == SpaceKind::rough ? "rough" : "outlier";
}

Calibration calibrate(const CalibrationCase& of, std::int64_t races, std::uint64_t seed) {
  const auto runs =
      in_parallel(races, [&](std::int64_t i) { return run_of(of, seed + static_cast<std::uint64_t>(i)); });
  Calibration all{.of = of, .races = races};
  std::vector<double> stated;
  Run sum;
  std::int64_t supposing = 0;
  for (const auto& run : runs) {
    const bool violated = run.regret > run.claim.regret;
    all.violated += violated ? 1 : 0;
    supposing += violated && run.claim.unseen > 0 ? 1 : 0;
    all.reached += run.claim.is_reached() ? 1 : 0;
    all.worst_regret = std::max(all.worst_regret, run.regret);
    stated.push_back(run.claim.regret);
    add(sum, run);
  }
  const auto count = static_cast<double>(races);
  all.supposing = all.violated == 0 ? 0 : static_cast<double>(supposing) / static_cast<double>(all.violated);
  all.violated_share = static_cast<double>(all.violated) / count;
  all.reached /= count;
  all.regret = sum.regret / count;
  all.stated = median(stated).value_or(0);
  all.covered = sum.covered / sum.intervals;
  all.device_ms = 1e3 * sum.device_s / count;
  all.of_exhaustive = sum.device_s / sum.exhaustive_s;
  all.looked_at = sum.looked_at / count;
  return all;
}

std::string table_of(const std::vector<Calibration>& calibrations) {
  std::string text =
      "| noise | space | violated | mean regret | worst | stated | target reached | intervals held | device time |"
      " of exhaustive | looked at |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& one : calibrations)
    text += fmt::format(
        "| {} | {} | {:.1f} % | {:.2f} % | {:.2f} % | {:.2f} % | {:.0f} % | {:.1f} % | {:.0f} ms |"
        " {:.0f} % | {:.0f} % |\n",
        one.of.noise.name, to_string(one.of.space), 100 * one.violated_share, 100 * one.regret, 100 * one.worst_regret,
        100 * one.stated, 100 * one.reached, 100 * one.covered, one.device_ms, 100 * one.of_exhaustive,
        100 * one.looked_at);
  return text;
}

}  // namespace gemmtune::invented
