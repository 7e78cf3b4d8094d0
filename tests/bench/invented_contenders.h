// Benchmarks without kernels: candidates take as long as a test says, and are wrong at the stage that it names.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {

inline std::string family_in(const std::string& name) { return name.substr(0, name.find('_')); }

inline Contender contender(const std::string& label, const std::string& name) {
  return {.label = label, .candidate = {.family = family_in(name), .name = name}, .origin = "invented"};
}

/// Evaluations have an interval of 0.1 % on each side of their time; proofs have no time.
struct BenchWorld {
  FakeWorld fake{};
  FakeEvaluator evaluator{fake, 0};
  BenchPlan plan{};
  std::map<std::string, double> times_us{};
  std::map<std::string, double> least_us{};
  std::map<std::string, Stage> wrong_at{};
  std::string interrupts_at{};

  explicit BenchWorld(const std::vector<std::pair<std::string, double>>& candidates) {
    for (const auto& [name, time_us] : candidates) {
      fake.candidates.push_back({.family = family_in(name), .name = name});
      times_us[name] = time_us;
    }
    fake.answer = [this](const Problem&, const Candidate& candidate, Stage stage) { return answer(candidate, stage); };
  }
  BenchWorld(const BenchWorld&) = delete;
  BenchWorld& operator=(const BenchWorld&) = delete;

  Evaluation answer(const Candidate& candidate, Stage stage) {
    if (candidate.name == interrupts_at) evaluator.interrupt();
    const double time_us = times_us.at(candidate.name);
    auto evaluation = answered(candidate, stage, time_us);
    evaluation.timing.min_us = least_us.contains(candidate.name) ? least_us[candidate.name] : time_us;
    if (const auto wrong = wrong_at.find(candidate.name); wrong != wrong_at.end() && wrong->second == stage) {
      evaluation.outcome = Outcome::wrong_result;
      evaluation.reason = "wrong as told";
    } else if (stage == Stage::prove) {
      evaluation.timing = {};
    }
    return evaluation;
  }

  std::optional<ShapeBench> measure(const std::vector<Contender>& contenders) {
    fake.batch_sizes.clear();
    return measure_interleaved(evaluator, invented_problem(), contenders, plan);
  }
};

}  // namespace gemmtune
