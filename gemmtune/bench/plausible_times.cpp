#include "gemmtune/bench/plausible_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmtune/bench/peaks.h"
#include "gemmtune/evaluate/passing_evaluator.h"

namespace gemmtune {
namespace {

constexpr double margin = 2;
constexpr double margin_on_cpus = 10;

/// A peak on a smaller problem than the usual one may be far below what the device can do.
bool is_telling(const MatrixPeak& peak, const DeviceInfo& device) {
  return peak.tflops > 0 && std::min({peak.problem.m, peak.problem.n, peak.problem.k}) >= peak_size(device);
}

double multiplying_us(const Roofline& roofline, const DeviceInfo& device, const Problem& problem) {
  const auto peak = roofline.peaks.find(peak_key(problem));
  const bool is_known = peak != roofline.peaks.end() && is_telling(peak->second, device);
  return is_known ? flops(problem) / peak->second.tflops / 1e6 : 0;
}

double moving_us(const Roofline& roofline, const DeviceInfo& device, const Problem& problem) {
  const auto uncached = moved_bytes(problem) - static_cast<double>(device.last_level_cache_bytes);
  const bool is_known = roofline.copy_gbps > 0 && device.last_level_cache_bytes > 0 && uncached > 0;
  return is_known ? uncached / roofline.copy_gbps / 1e3 : 0;
}

class PlausibleObserver final : public EvaluationObserver {
 public:
  PlausibleObserver(EvaluationObserver& inner, double shortest_us) : inner_(inner), shortest_us_(shortest_us) {}

  void started(const Candidate& candidate) override { inner_.started(candidate); }

  void evaluated(const Evaluation& evaluation) override {
    const auto us = evaluation.timing.median_us;
    if (evaluation.outcome != Outcome::ok || us <= 0 || us >= shortest_us_) return inner_.evaluated(evaluation);
    auto refuted = evaluation;
    refuted.outcome = Outcome::wrong_result;
    refuted.reason = fmt::format(
        "its time of {:.4g} us is a fault: by the roofline that was measured, and with a margin, this device needs "
        "{:.4g} "
        "us at least (gemmtune bench roofline measures it again)",
        us, shortest_us_);
    refuted.timing = {};
    inner_.evaluated(refuted);
  }

 private:
  EvaluationObserver& inner_;
  double shortest_us_;
};

class PlausibleEvaluator final : public PassingEvaluator {
 public:
  PlausibleEvaluator(std::unique_ptr<Evaluator> inner, Roofline roofline)
      : PassingEvaluator(std::move(inner)), roofline_(std::move(roofline)) {}

  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    // Warm operands may be anywhere.
    auto known = roofline_;
    if (!policy.measure.cold_cache) known.copy_gbps = 0;
    PlausibleObserver plausible(observer, shortest_plausible_us(known, inner().device(), problem));
    inner().evaluate(problem, candidates, policy, plausible);
  }

 private:
  Roofline roofline_;
};

}  // namespace

double shortest_plausible_us(const Roofline& roofline, const DeviceInfo& device, const Problem& problem) {
  const auto least = std::max(multiplying_us(roofline, device, problem), moving_us(roofline, device, problem));
  return least / (device.kind == DeviceKind::cpu ? margin_on_cpus : margin);
}

std::unique_ptr<Evaluator> with_plausible_times(std::unique_ptr<Evaluator> inner, Roofline roofline) {
  return std::make_unique<PlausibleEvaluator>(std::move(inner), std::move(roofline));
}

}  // namespace gemmtune
