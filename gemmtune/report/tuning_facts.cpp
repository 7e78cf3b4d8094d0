#include "gemmtune/report/tuning_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "gemmtune/core/text.h"
#include "gemmtune/report/store_readings.h"

namespace gemmtune {
namespace {

std::string device_text(const DeviceInfo& device) {
  return fmt::format("{}, {}, {} units", device.name, device.arch, device.cu_num);
}

std::string libraries_text(const TrialContext& context) {
  std::vector<std::string> names;
  for (const auto& [name, version] : context.device.libraries) names.push_back(fmt::format("{} {}", name, version));
  if (names.empty()) names.push_back(context.family_version);
  return join(names, ", ");
}

std::string policy_text(const EvaluationPolicy& policy) {
  const auto& m = policy.measure;
  return fmt::format("{}, warmup {}, {} to {} samples, {} cache{}, errRatio {}, seed {}", to_string(policy.stage),
                     m.warmup, m.min_samples, m.max_samples, m.cold_cache ? "cold" : "hot",
                     m.cold_instructions ? ", cold instructions" : "", policy.verify.err_ratio_limit, policy.seed);
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
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Provenance> all;
  for (const auto& trial : trials) {
    const auto& context = trial.context;
    const auto device = device_text(context.device);
    const auto libraries = libraries_text(context);
    const auto policy = policy_text(context.policy);
    auto& entry =
        all.try_emplace({device, context.device.driver, libraries, policy}, Provenance{.device = device,
                                                                                       .driver = context.device.driver,
                                                                                       .libraries = libraries,
                                                                                       .policy = policy,
                                                                                       .first_utc = trial.time_utc})
            .first->second;
    ++entry.trials;
    entry.first_utc = std::min(entry.first_utc, trial.time_utc);
    entry.last_utc = std::max(entry.last_utc, trial.time_utc);
  }
  std::vector<Provenance> list;
  list.reserve(all.size());
  for (auto& [key, entry] : all) list.push_back(std::move(entry));
  return list;
}

}  // namespace gemmtune
