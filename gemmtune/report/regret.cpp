#include "gemmtune/report/regret.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "gemmtune/report/store_readings.h"

namespace gemmtune {
namespace {

constexpr int steps = 50;  // points of a curve
constexpr double unknown = std::numeric_limits<double>::infinity();

/// The time of the best candidate so far, at one point of a shape's search.
struct Milestone {
  double cost_s{};
  double best_us{unknown};
};

/// A shape's search, milestone by milestone.
using Course = std::vector<Milestone>;

using Kernel = std::pair<std::string, std::string>;  // backend and name

std::map<ShapeId, std::map<Kernel, double>> final_times(std::span<const Trial> trials) {
  std::map<ShapeId, std::map<Kernel, double>> times;
  for (const auto& m : measurements_of(trials, ""))
    if (m.outcome == Outcome::ok && m.time_us > 0) times[m.shape][{m.backend, m.kernel}] = m.time_us;
  return times;
}

std::vector<Course> courses_of(std::span<const Trial> trials) {
  const auto times = final_times(trials);
  std::map<ShapeId, Course> courses;
  for (const auto& trial : trials) {
    const auto shape = shape_of(trial);
    const auto of_shape = times.find(shape);
    if (of_shape == times.end() || of_shape->second.size() < 2) continue;
    auto& course = courses[shape];
    const auto before = course.empty() ? Milestone{} : course.back();
    const auto time = of_shape->second.find(kernel_of(trial));
    course.push_back({before.cost_s + trial.evaluation.cost.total(),
                      std::min(before.best_us, time != of_shape->second.end() ? time->second : unknown)});
  }
  std::vector<Course> list;
  for (auto& [shape, course] : courses) list.push_back(std::move(course));
  return list;
}

std::optional<double> regret_at(const Course& course, double share) {
  const double spent_s = share * course.back().cost_s;
  const auto after = std::ranges::upper_bound(course, spent_s, {}, &Milestone::cost_s);
  const double best_us = share >= 1 ? course.back().best_us : after == course.begin() ? unknown : (after - 1)->best_us;
  return best_us == unknown ? std::nullopt : std::optional(best_us / course.back().best_us - 1);
}

const Best* fastest(const ComparedShape& shape) {
  const Best* fastest = nullptr;
  for (const auto& [backend, best] : shape.best)
    if (!best.apart && (fastest == nullptr || best.measurement.time_us < fastest->measurement.time_us)) fastest = &best;
  return fastest;
}

}  // namespace

RegretSpread regret_spread(std::vector<double> regrets) {
  if (regrets.empty()) return {};
  std::ranges::sort(regrets);
  const auto count = static_cast<double>(regrets.size());
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * count)) - 1;
  return {.mean = std::accumulate(regrets.begin(), regrets.end(), 0.0) / count,
          .p95 = regrets[rank],
          .worst = regrets.back()};
}

std::vector<BackendRegret> backend_regrets(const Comparison& comparison) {
  std::vector<BackendRegret> list;
  for (const auto& backend : comparison.backends) {
    std::vector<double> regrets;
    for (const auto& shape : comparison.shapes) {
      const auto own = shape.best.find(backend);
      if (own != shape.best.end() && !own->second.apart)
        regrets.push_back(own->second.measurement.time_us / fastest(shape)->measurement.time_us - 1);
    }
    list.push_back({.backend = backend, .shapes = regrets.size(), .regret = regret_spread(regrets)});
  }
  return list;
}

std::vector<SearchRegret> search_regrets(std::span<const Trial> trials) {
  const auto courses = courses_of(trials);
  std::vector<SearchRegret> curve;
  for (int step = 1; step <= steps && !courses.empty(); ++step) {
    const double share = static_cast<double>(step) / steps;
    std::vector<double> regrets;
    for (const auto& course : courses)
      if (const auto regret = regret_at(course, share)) regrets.push_back(*regret);
    if (!regrets.empty()) curve.push_back({.share = share, .shapes = regrets.size(), .regret = regret_spread(regrets)});
  }
  return curve;
}

}  // namespace gemmtune
