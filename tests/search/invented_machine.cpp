#include "tests/search/invented_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemmtune/evaluate/stages.h"
#include "gemmtune/measure/sampler.h"

namespace gemmtune::invented {

std::vector<MachineNoise> all_noises() {
  return {{.name = "gaussian", .sample = 0.01, .between = 0.01},
          {.name = "heavy tails", .tail = 0.005, .between = 0.01},
          {.name = "stalls", .sample = 0.003, .stall = 0.01, .turn_stall = 0.03, .between = 0.01},
          {.name = "drift", .sample = 0.003, .drift = 0.08, .between = 0.03},
          {.name = "two clocks", .sample = 0.003, .between = 0.01, .clock = 0.04, .clock_us = 3000},
          {.name = "turns", .sample = 0.002, .turn = 0.015, .between = 0.01},
          {.name = "placements", .sample = 0.003, .evaluation = 0.01, .between = 0.01}};
}

/// Its launches say nothing: whose turn it is, the machine knows.
class Machine::MachineTimer final : public Timer {
 public:
  explicit MachineTimer(Machine& machine) : machine_(machine) {}

  std::vector<double> time_us(const Launch& /*launch*/, std::int64_t /*first*/, std::int64_t count) override {
    std::vector<double> times;
    for (std::int64_t i = 0; i < count; ++i) times.push_back(machine_.launch_us());
    return times;
  }

 private:
  Machine& machine_;
};

Machine::Machine(std::vector<Candidate> candidates, std::vector<double> times_us, MachineNoise noise,
                 std::uint64_t seed)
    : candidates_(std::move(candidates)), times_us_(std::move(times_us)), noise_(std::move(noise)), engine_(seed) {}

std::size_t Machine::index_of(const Candidate& candidate) const {
  return static_cast<std::size_t>(std::ranges::find(candidates_, candidate) - candidates_.begin());
}

double Machine::time_us(const Candidate& candidate) const { return times_us_[index_of(candidate)]; }

double Machine::least_time_us() const { return std::ranges::min(times_us_); }

void Machine::begin_batch() {
  batch_began_us_ = spent_us_;
  batch_factor_ = std::exp(normal(noise_.between));
}

void Machine::begin_turn(std::size_t candidate, std::uint64_t placement) {
  const auto [at, is_new] = placements_.try_emplace({candidate, placement}, 1.0);
  if (is_new) at->second = std::exp(normal(noise_.evaluation));
  turn_us_ = times_us_[candidate] * at->second * batch_factor_ * std::exp(normal(noise_.turn));
  if (uniform(0, 1) < noise_.turn_stall) turn_us_ *= uniform(1, 3);
}

double Machine::launch_us() {
  constexpr double heats_up_us = 20'000;
  if (spent_us_ > clock_until_) {
    is_slow_clock_ = !is_slow_clock_;
    clock_until_ = spent_us_ + std::exponential_distribution<double>(1 / noise_.clock_us)(engine_);
  }
  double us = turn_us_ * (1 + normal(noise_.sample)) * (is_slow_clock_ ? 1 + noise_.clock : 1);
  us *= 1 + noise_.drift * (1 - std::exp(-(spent_us_ - batch_began_us_) / heats_up_us));
  const double tail = normal(noise_.tail) / std::sqrt(std::exponential_distribution<double>()(engine_) + 1e-9);
  us *= 1 + std::clamp(tail, -0.05, 20.0);
  if (uniform(0, 1) < noise_.stall) us *= uniform(1, 20);
  spent_us_ += us;
  return us;
}

std::vector<Samples> Machine::sample_alone(std::span<const Candidate> candidates, const EvaluationPolicy& policy) {
  MachineTimer timer(*this);
  double best_us = std::numeric_limits<double>::infinity();
  std::vector<Samples> all;
  for (const auto& candidate : candidates) {
    begin_turn(index_of(candidate), policy.seed);
    const auto rule = make_stop_rule(policy.measure, too_slow_factor * best_us);
    all.push_back(sample(timer, {[](std::int64_t) {}}, policy.measure, *rule));
    best_us = std::min(best_us, summarise(all.back(), false).median_us);
  }
  return all;
}

std::vector<Samples> Machine::sample_in_turns(std::span<const Candidate> candidates, const EvaluationPolicy& policy) {
  MachineTimer timer(*this);
  const std::vector<Timer::Launch> launches(candidates.size(), {[](std::int64_t) {}});
  return sample_interleaved(timer, launches, policy.measure, Clock::nothing,
                            [&](std::size_t i) { begin_turn(index_of(candidates[i]), policy.seed); });
}

std::vector<Evaluation> Machine::evaluate(std::span<const Candidate> candidates, const EvaluationPolicy& policy) {
  begin_batch();
  std::vector<Samples> samples(candidates.size());
  if (policy.stage == Stage::screen) samples = sample_alone(candidates, policy);
  if (policy.stage == Stage::confirm) samples = sample_in_turns(candidates, policy);
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    evaluations.push_back({.candidate = candidates[i],
                           .stage = policy.stage,
                           .timing = summarise(samples[i], policy.measure.keep_samples)});
  return evaluations;
}

}  // namespace gemmtune::invented
