#include "gemmtune/shapes/tuned_times.h"

#include <algorithm>

namespace gemmtune {
namespace {

Problem without_m(Problem problem) {
  problem.m = 0;
  return problem;
}

std::optional<double> least(std::optional<double> a, std::optional<double> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

std::optional<double> interpolated(const std::map<std::int64_t, double>& times, std::int64_t m) {
  const auto above = times.lower_bound(m);
  if (above == times.end() || above == times.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const auto share = static_cast<double>(m - below->first) / static_cast<double>(above->first - below->first);
  return below->second + share * (above->second - below->second);
}

}  // namespace

void TunedTimes::add(TunedTable table) {
  Known known{.table = std::move(table)};
  for (const auto& row : known.table.rows) {
    if (!has_time(row)) continue;
    auto& times = known.times[{row.gfx, row.cu_num, without_m(row.problem)}];
    const auto [at, is_new] = times.try_emplace(row.problem.m, row.time_us);
    if (!is_new) at->second = std::min(at->second, row.time_us);
  }
  tables_.push_back(std::move(known));
}

std::vector<const TunedTimes::TimesByM*> TunedTimes::rows_for(const TunedDevice& device, const Problem& problem) const {
  std::vector<const TimesByM*> found;
  for (const auto& known : tables_) {
    const bool has_its_format = states_problems(known.table.columns) || format_of(problem) == known.table.format;
    if (!has_its_format || !says_layout_and_epilogue(known.table, problem)) continue;
    const auto as_kept = without_m(as_read_back(known.table, problem));
    for (const auto& gfx : {device.gfx, std::string()})
      if (const auto at = known.times.find({gfx, device.cu_num, as_kept}); at != known.times.end())
        found.push_back(&at->second);
  }
  return found;
}

std::optional<double> TunedTimes::exact(const TunedDevice& device, const Problem& problem) const {
  std::optional<double> best;
  for (const auto* times : rows_for(device, problem))
    if (const auto at = times->find(problem.m); at != times->end()) best = least(best, at->second);
  return best;
}

std::optional<double> TunedTimes::between_neighbours(const TunedDevice& device, const Problem& problem) const {
  std::optional<double> best;
  for (const auto* times : rows_for(device, problem)) best = least(best, interpolated(*times, problem.m));
  return best;
}

}  // namespace gemmtune
