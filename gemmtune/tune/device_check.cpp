#include "gemmtune/tune/device_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/tune/candidates.h"

namespace gemmtune {
namespace {

constexpr double worth_a_word = 1.03;
constexpr double not_worth_using = 1.10;
constexpr double most_flops = 4e12;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> times_of_others(std::span<const double> times_us, std::size_t worker) {
  std::vector<double> others;
  for (std::size_t i = 0; i < times_us.size(); ++i)
    if (i != worker && times_us[i] > 0) others.push_back(times_us[i]);
  return others;
}

DeviceComparison comparison_of(std::span<const double> times_us, std::size_t worker) {
  const auto others = times_of_others(times_us, worker);
  if (others.empty() || !(times_us[worker] > 0)) return {};
  const double ratio = times_us[worker] / median(others);
  if (ratio < worth_a_word) return {};
  return {.remark = fmt::format("takes {:.1f} us for what the others do in {:.1f}: {:.0f} % slower", times_us[worker],
                                median(others), 100 * (ratio - 1)),
          .too_slow = ratio >= not_worth_using};
}

class TimeKeeper final : public EvaluationObserver {
 public:
  void started(const Candidate& /*candidate*/) override {}
  void evaluated(const Evaluation& evaluation) override {
    if (evaluation.outcome == Outcome::ok) time_us_ = evaluation.timing.median_us;
  }
  double time_us() const { return time_us_; }

 private:
  double time_us_{};
};

}  // namespace

std::vector<DeviceComparison> compare_devices(std::span<const double> times_us) {
  std::vector<DeviceComparison> comparisons;
  for (std::size_t worker = 0; worker < times_us.size(); ++worker)
    comparisons.push_back(comparison_of(times_us, worker));
  return comparisons;
}

const Shape& device_check_shape(std::span<const Shape> shapes) {
  const auto worth = [](const Shape& shape) {
    const double work = flops(shape.problem);
    return work <= most_flops ? work : -work;  // too long: the shortest of those
  };
  return *std::max_element(shapes.begin(), shapes.end(),
                           [&](const Shape& a, const Shape& b) { return worth(a) < worth(b); });
}

double time_for_device_check(const TunePlan& plan, const Shape& shape, Evaluator& evaluator) {
  const auto candidates = wanted_candidates(plan, evaluator.candidates(shape.problem));
  if (candidates.empty()) return 0;
  TimeKeeper keeper;
  evaluator.evaluate(shape.problem, std::span(candidates).first(1), plan.confirm, keeper);
  return keeper.time_us();
}

DeviceComparison DeviceCheck::answer(std::size_t worker, double time_us) {
  note(worker, time_us);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return std::find(answered_.begin(), answered_.end(), false) == answered_.end(); });
  return compare_devices(times_us_)[worker];
}

void DeviceCheck::leave(std::size_t worker) {
  const std::scoped_lock lock(mutex_);
  if (answered_[worker]) return;
  answered_[worker] = true;
  changed_.notify_all();
}

void DeviceCheck::note(std::size_t worker, double time_us) {
  const std::scoped_lock lock(mutex_);
  times_us_[worker] = time_us;
  answered_[worker] = true;
  changed_.notify_all();
}

}  // namespace gemmtune
