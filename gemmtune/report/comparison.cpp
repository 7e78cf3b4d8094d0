#include "gemmtune/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/space/tie.h"

namespace gemmtune {
namespace {

/// Tables state times with four decimals. Smaller differences count as equal.
std::int64_t as_in_tables(double time_us) { return std::llround(time_us * 1e4); }

/// Proven kernels come before others, confirmed times before screened ones, and fast ones before slow ones. If a table
/// and a store have the same time, the one with more information comes first.
bool is_better(const Measurement& a, const Measurement& b) {
  const auto rank = [](const Measurement& m) {
    return std::tuple(m.unproven, m.screened_only, as_in_tables(m.time_us), !m.has_interval(),
                      std::string_view(m.kernel), std::string_view(m.where));
  };
  return rank(a) < rank(b);
}

bool has_time(const Measurement& m) { return m.time_us > 0 && std::isfinite(m.time_us); }

/// Among failures, only wrong results have a share of wrong elements. Tables state 1 for all other failures.
bool is_over(const Measurement& m, double err_ratio_limit) {
  return (m.outcome == Outcome::ok || m.outcome == Outcome::wrong_result) && m.err_ratio > err_ratio_limit;
}

std::optional<Skipped> why_skipped(const Measurement& m, double err_ratio_limit) {
  if (m.outcome == Outcome::ok && !has_time(m))
    return Skipped{m, SkipReason::no_time, fmt::format("us is {}", shortest(m.time_us))};
  if (is_over(m, err_ratio_limit))
    return Skipped{m, SkipReason::over_error_limit,
                   fmt::format("errRatio {} is over {}", shortest(m.err_ratio), shortest(err_ratio_limit))};
  if (m.outcome == Outcome::ok) return std::nullopt;
  return Skipped{m, SkipReason::failed, m.reason.empty() ? std::string(to_string(m.outcome)) : m.reason};
}

Problem without_sizes(Problem problem) {
  problem.m = problem.n = problem.k = 0;
  return problem;
}

/// The order of shapes: those of one layer together, M ascending.
auto order_of(const ShapeId& shape) {
  const auto& p = shape.problem;
  return std::tuple(shape.device, shape.types_known, without_sizes(p), p.n, p.k, p.m);
}

struct ByOrder {
  bool operator()(const ShapeId& a, const ShapeId& b) const { return order_of(a) < order_of(b); }
};

class Comparer {
 public:
  Comparer(const std::vector<Measurement>& measurements, const ComparisonOptions& options)
      : measurements_(measurements), options_(options) {}

  Comparison compare() {
    has_contenders_ = std::ranges::any_of(measurements_, [](const auto& m) { return !is_reference(m); });
    for (const auto& m : measurements_)
      if (is_wanted(m)) look_at(m);
    for (const auto& [shape, usable] : usable_) shapes_[shape].best = best_of(usable);
    for (auto& [shape, compared] : shapes_) decide_winners(compared);
    comparison_.err_ratio_limit = options_.err_ratio_limit;
    comparison_.primary = primary();
    comparison_.backends = backends();
    find_what_is_common();
    for (auto& [shape, compared] : shapes_) {
      hold_against_primary(compared);
      comparison_.shapes.push_back(std::move(compared));
    }
    return std::move(comparison_);
  }

 private:
  /// cpu_reference is what kernels are held against. A search times it and never chooses it.
  static bool is_reference(const Measurement& m) { return m.unproven && m.backend.ends_with("_reference"); }

  bool is_wanted(const Measurement& m) const {
    const auto& wanted = options_.backends;
    if (!wanted.empty()) return std::ranges::find(wanted, m.backend) != wanted.end();
    return options_.keeps_references || !has_contenders_ || !is_reference(m);
  }

  void look_at(const Measurement& m) {
    ++comparison_.measurements;
    names_.insert(m.backend);
    auto& compared = shapes_[m.shape];
    compared.shape = m.shape;
    if (auto skipped = why_skipped(m, options_.err_ratio_limit)) {
      comparison_.skipped.push_back(std::move(*skipped));
      return;
    }
    usable_[m.shape].push_back(&m);
  }

  /// The batch with most backends. Of two with as many, one of which it is known that its kernels were timed together.
  static std::string batch_to_compare(const std::vector<const Measurement*>& usable) {
    std::map<std::string, std::set<std::string>> backends;
    for (const auto* m : usable)
      if (!m->batch.empty()) backends[m->batch].insert(m->backend);
    const auto rank = [](const auto& entry) { return std::pair(entry.second.size(), entry.first != batch_of_files); };
    const auto largest = std::ranges::max_element(backends, {}, rank);
    return largest == backends.end() ? "" : largest->first;
  }

  static std::map<std::string, Best> best_of(const std::vector<const Measurement*>& usable) {
    const auto batch = batch_to_compare(usable);
    std::map<std::string, Best> all;
    for (const auto* m : usable) {
      const bool apart = batch.empty() || m->batch != batch;
      const auto [best, is_new] = all.try_emplace(m->backend);
      const bool is_same_kind = !is_new && best->second.apart == apart;
      const bool is_first_together = !is_new && best->second.apart && !apart;
      if (is_new || is_first_together || (is_same_kind && is_better(*m, best->second.measurement)))
        best->second = {*m, tflops(m->shape.problem, m->time_us), apart};
    }
    return all;
  }

  static const Measurement* fastest(const ComparedShape& compared, const std::string& left_out) {
    const Measurement* fastest = nullptr;
    for (const auto& [backend, best] : compared.best)
      if (backend != left_out && !best.apart && (fastest == nullptr || best.measurement.time_us < fastest->time_us))
        fastest = &best.measurement;
    return fastest;
  }

  static bool may_win(const Best& best) { return !best.measurement.unproven && !best.apart; }

  static void decide_winners(ComparedShape& compared) {
    const Measurement* first = nullptr;
    for (const auto& [backend, best] : compared.best)
      if (may_win(best) && (first == nullptr || best.measurement.time_us < first->time_us)) first = &best.measurement;
    if (first == nullptr) return;
    for (const auto& [backend, best] : compared.best)
      if (may_win(best) && is_tie(*first, best.measurement)) compared.winners.push_back(backend);
  }

  void hold_against_primary(ComparedShape& compared) const {
    const auto* alternative = fastest(compared, comparison_.primary);
    if (alternative == nullptr) return;
    compared.alternative = alternative->backend;
    const auto own = compared.best.find(comparison_.primary);
    if (own != compared.best.end() && !own->second.apart)
      compared.ratio = alternative->time_us / own->second.measurement.time_us;
  }

  std::string primary() const {
    const auto& asked = options_.primary;
    if (asked.empty()) return names_.contains("asm") ? "asm" : most_wins();
    if (!names_.contains(asked))
      fail(ErrorCode::usage, "--primary: found '{}', expected one of {}", asked,
           join({names_.begin(), names_.end()}, ", "));
    return asked;
  }

  std::string most_wins() const {
    std::map<std::string, std::size_t> wins;
    for (const auto& [shape, compared] : shapes_)
      for (const auto& winner : compared.winners) ++wins[winner];
    const auto most = std::ranges::max_element(wins, {}, [](const auto& entry) { return entry.second; });
    if (most != wins.end()) return most->first;
    return names_.empty() ? std::string() : *names_.begin();
  }

  std::vector<std::string> backends() const {
    std::vector<std::string> backends{names_.begin(), names_.end()};
    std::stable_partition(backends.begin(), backends.end(),
                          [&](const auto& name) { return name == comparison_.primary; });
    return backends;
  }

  void find_what_is_common() {
    std::set<std::pair<bool, Problem>> types;
    std::set<DeviceTag> devices;
    for (const auto& [shape, compared] : shapes_) {
      types.emplace(shape.types_known, without_sizes(shape.problem));
      devices.insert(shape.device);
    }
    comparison_.one_type = types.size() <= 1;
    comparison_.one_device = devices.size() <= 1;
  }

  const std::vector<Measurement>& measurements_;
  const ComparisonOptions& options_;
  bool has_contenders_{};
  Comparison comparison_;
  std::set<std::string> names_;  // the names of the backends
  std::map<ShapeId, ComparedShape, ByOrder> shapes_;
  std::map<ShapeId, std::vector<const Measurement*>> usable_;
};

}  // namespace

bool is_tie(const Measurement& a, const Measurement& b) {
  if (!a.has_interval() || !b.has_interval()) return as_in_tables(a.time_us) == as_in_tables(b.time_us);
  const auto timing = [](const Measurement& m) {
    return Timing{.median_us = m.time_us, .low_us = m.low_us, .high_us = m.high_us};
  };
  const auto& [fast, slow] = a.time_us <= b.time_us ? std::tie(a, b) : std::tie(b, a);
  return is_tied(timing(fast), timing(slow));
}

std::string_view to_string(SkipReason reason) {
  switch (reason) {
    case SkipReason::failed:
      return "failed";
    case SkipReason::no_time:
      return "without a time";
    case SkipReason::over_error_limit:
      return "over the limit of errors";
  }
  return "";
}

Comparison compare(const std::vector<Measurement>& measurements, const ComparisonOptions& options) {
  return Comparer(measurements, options).compare();
}

std::vector<const ComparedShape*> shapes_lost(const Comparison& comparison) {
  std::vector<const ComparedShape*> lost;
  for (const auto& shape : comparison.shapes) {
    const bool wins = std::ranges::find(shape.winners, comparison.primary) != shape.winners.end();
    const auto own = shape.best.find(comparison.primary);
    if (own != shape.best.end() && !own->second.apart && !wins && !shape.winners.empty()) lost.push_back(&shape);
  }
  return lost;
}

std::size_t count_unproven(const Comparison& comparison) {
  std::size_t count = 0;
  for (const auto& shape : comparison.shapes)
    for (const auto& [backend, best] : shape.best) count += best.measurement.unproven ? 1 : 0;
  return count;
}

std::size_t count_apart(const Comparison& comparison) {
  std::size_t count = 0;
  for (const auto& shape : comparison.shapes)
    for (const auto& [backend, best] : shape.best) count += best.apart ? 1 : 0;
  return count;
}

std::size_t count_skipped(const Comparison& comparison, SkipReason reason) {
  return static_cast<std::size_t>(std::ranges::count(comparison.skipped, reason, &Skipped::reason));
}

std::vector<const ComparedShape*> shapes_missed(const Comparison& comparison) {
  std::vector<const ComparedShape*> missed;
  for (const auto& shape : comparison.shapes)
    if (!shape.best.contains(comparison.primary)) missed.push_back(&shape);
  return missed;
}

}  // namespace gemmtune
