// A machine that never was, with known times of its candidates and one kind of noise: what a search claims on it can be
// held against the truth.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/measure/samples.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune::invented {

/// Shares of the time, unless said otherwise. All that apply are multiplied.
struct MachineNoise {
  std::string name{};
  double sample{};       // the standard deviation of each launch
  double tail{};         // the scale of a Student's t with two degrees of freedom, of each launch
  double stall{};        // the chance that a launch takes up to 20 times as long
  double turn_stall{};   // the chance that a turn takes up to three times as long
  double turn{};         // the standard deviation of each turn, which all of its launches have in common
  double evaluation{};   // that of each candidate at each placement of its operands
  double drift{};        // by which the machine slows down while it heats up, in each batch
  double between{};      // the standard deviation between batches, which all candidates have in common
  double clock{};        // by which the lower of two clocks is slower
  double clock_us{1e4};  // how long one of them lasts on average
};

/// Independent deviations of each launch; heavy tails; stalls; drift; two clocks; deviations of turns and of
/// placements.
std::vector<MachineNoise> all_noises();

class Machine {
 public:
  /// `times_us[i]` is the true time of candidate i.
  Machine(std::vector<Candidate> candidates, std::vector<double> times_us, MachineNoise noise, std::uint64_t seed);

  const std::vector<Candidate>& candidates() const { return candidates_; }
  double time_us(const Candidate& candidate) const;
  double least_time_us() const;

  /// Evaluates a batch with the sampler of real evaluations. All candidates are right.
  std::vector<Evaluation> evaluate(std::span<const Candidate> candidates, const EvaluationPolicy& policy);

  double spent_s() const { return spent_us_ / 1e6; }  // by all launches so far

 private:
  class MachineTimer;

  void begin_batch();
  void begin_turn(std::size_t candidate, std::uint64_t placement);
  double launch_us();
  double normal(double deviation) { return deviation * std::normal_distribution<double>()(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  std::size_t index_of(const Candidate& candidate) const;
  std::vector<Samples> sample_alone(std::span<const Candidate> candidates, const EvaluationPolicy& policy);
  std::vector<Samples> sample_in_turns(std::span<const Candidate> candidates, const EvaluationPolicy& policy);

  std::vector<Candidate> candidates_;
  std::vector<double> times_us_;
  MachineNoise noise_;
  std::mt19937_64 engine_;
  std::map<std::pair<std::size_t, std::uint64_t>, double> placements_{};  // what each one gives
  double spent_us_{};
  double batch_began_us_{};
  double batch_factor_{1};
  double turn_us_{};      // of the candidate whose turn it is, without what differs between launches
  double clock_until_{};  // in time spent
  bool is_slow_clock_{};
};

}  // namespace gemmtune::invented
