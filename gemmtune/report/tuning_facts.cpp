#include "gemmtune/report/tuning_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "gemmtune/report/store_readings.h"

namespace gemmtune {
namespace {

std::string device_text(const DeviceInfo& device) {
  return fmt::format("{}, {}, {} units", device.name, device.arch, device.cu_num);
}

/// Versions of libraries mostly begin with the family's name.
std::string library_text(const Trial& trial) {
  const auto& [family, version] = std::pair(trial.evaluation.candidate.family, trial.context.family_version);
  return version.starts_with(family) ? version : fmt::format("{} {}", family, version);
}

std::string policy_text(const EvaluationPolicy& policy) {
  const auto& m = policy.measure;
  return fmt::format("{}, warmup {}, {} to {} samples, {} cache{}, errRatio {}", to_string(policy.stage), m.warmup,
                     m.min_samples, m.max_samples, m.cold_cache ? "cold" : "hot",
                     m.cold_instructions ? ", cold instructions" : "", policy.verify.err_ratio_limit);
}

}  // namespace

std::vector<BackendCost> backend_costs(std::span<const Trial> trials) {
  std::map<std::string, BackendCost> costs;
  for (const auto& trial : trials) {
    const auto backend = kernel_of(trial).first;
    auto& entry = costs[backend];
    entry.backend = backend;
    ++entry.trials;
    entry.cost += trial.evaluation.cost;
  }
  std::vector<BackendCost> list;
  list.reserve(costs.size());
  for (auto& [name, entry] : costs) list.push_back(std::move(entry));
  return list;
}

std::vector<NoisePoint> noise_points(std::span<const Trial> trials, std::size_t limit) {
  std::vector<NoisePoint> points;
  for (const auto& trial : trials) {
    const auto& evaluation = trial.evaluation;
    const auto& timing = evaluation.timing;
    const bool is_confirmed = evaluation.stage == Stage::confirm && evaluation.outcome == Outcome::ok;
    if (!is_confirmed || !(timing.median_us > 0) || points.size() == limit) continue;
    points.push_back({.backend = kernel_of(trial).first,
                      .shape = shape_of(trial),
                      .kernel = evaluation.candidate.name,
                      .time_us = timing.median_us,
                      .dispersion = timing.dispersion,
                      .clock_mhz = timing.clock_mhz,
                      .throttled = timing.throttled});
  }
  return points;
}

std::vector<Provenance> provenances(std::span<const Trial> trials) {
  struct Gathered {
    Provenance entry{};
    std::set<std::string> libraries{};
    std::set<std::string> policies{};
  };
  std::map<std::pair<std::string, std::string>, Gathered> all;
  for (const auto& trial : trials) {
    const auto& context = trial.context;
    auto& [entry, libraries, policies] = all[{device_text(context.device), context.device.driver}];
    ++entry.trials;
    if (entry.first_utc.empty() || trial.time_utc < entry.first_utc) entry.first_utc = trial.time_utc;
    entry.last_utc = std::max(entry.last_utc, trial.time_utc);
    libraries.insert(library_text(trial));
    policies.insert(policy_text(context.policy));
  }
  std::vector<Provenance> list;
  list.reserve(all.size());
  for (auto& [key, gathered] : all) {
    std::tie(gathered.entry.device, gathered.entry.driver) = key;
    gathered.entry.libraries.assign(gathered.libraries.begin(), gathered.libraries.end());
    gathered.entry.policies.assign(gathered.policies.begin(), gathered.policies.end());
    list.push_back(std::move(gathered.entry));
  }
  std::ranges::stable_sort(list, std::greater{}, &Provenance::trials);
  return list;
}

}  // namespace gemmtune
