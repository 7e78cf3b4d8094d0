#include "gemmtune/dispatch/time_model.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/dispatch/index/lookup_key.h"

namespace gemmtune {
namespace {

constexpr std::size_t similar_rows = 8;

/// The types in a layer's key, without the batch. The batch counts as a size here.
constexpr std::uint64_t types_of(const std::pair<std::uint64_t, std::uint64_t>& layer) {
  return layer.second & 0xffffffff;
}

Problem with_m(Problem problem, std::int64_t m) {
  problem.m = m;
  return problem;
}

/// The distance between the sizes of two problems: the sum of the differences of their logarithms.
double distance(const Problem& a, const Problem& b) {
  const auto apart = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return apart(a.m, b.m) + apart(a.n, b.n) + apart(a.k, b.k) + apart(a.batch, b.batch);
}

double between(double m, const std::pair<const std::int64_t, double>& low,
               const std::pair<const std::int64_t, double>& high) {
  const auto low_m = static_cast<double>(low.first);
  const auto share = (m - low_m) / (static_cast<double>(high.first) - low_m);
  return low.second + share * (high.second - low.second);
}

}  // namespace

void TimeModel::add(const TunedRow& row, const DeviceKey& device) {
  if (!(device == device_) || !has_time(row)) return;
  const auto layer = layer_of(row.problem);
  const auto [place, is_new] = layers_[layer].try_emplace(row.problem.m, row.time_us);
  if (!is_new) place->second = std::min(place->second, row.time_us);
  types_[types_of(layer)].push_back({row.problem, row.time_us});
}

TimeModel::LayerKey TimeModel::layer_of(const Problem& problem) const {
  const auto key = lookup_key(problem, device_);
  return {key.sizes, key.types};
}

std::optional<double> TimeModel::estimate_us(const Problem& problem) const {
  if (const auto estimate = from_layer(problem)) return estimate;
  return from_similar(problem);
}

std::optional<double> TimeModel::from_layer(const Problem& problem) const {
  const auto layer = layers_.find(layer_of(problem));
  if (layer == layers_.end()) return std::nullopt;
  const auto& times = layer->second;
  const auto high = times.lower_bound(problem.m);
  if (high != times.end() && high->first == problem.m) return high->second;
  if (high == times.begin()) return high->second * operand_bytes(problem) / operand_bytes(with_m(problem, high->first));
  const auto low = std::prev(high);
  const auto m = static_cast<double>(problem.m);
  if (high == times.end()) return low->second * m / static_cast<double>(low->first);
  return between(m, *low, *high);
}

std::optional<double> TimeModel::from_similar(const Problem& problem) const {
  const auto found = types_.find(types_of(layer_of(problem)));
  if (found == types_.end()) return std::nullopt;
  auto known = found->second;
  const auto count = std::min(similar_rows, known.size());
  std::ranges::partial_sort(known, known.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](const Known& row) { return distance(row.problem, problem); });
  known.resize(count);
  double flops_per_us = 0;
  double bytes_per_us = 0;
  for (const auto& [asked, time] : known) {
    flops_per_us = std::max(flops_per_us, flops(asked) / time);
    bytes_per_us = std::max(bytes_per_us, operand_bytes(asked) / time);
  }
  const auto best = [&](const Problem& p) {
    return std::max(flops(p) / flops_per_us, operand_bytes(p) / bytes_per_us);
  };
  std::vector<double> ratios;  // each row's time, relative to the time at those speeds
  for (const auto& [asked, time] : known) ratios.push_back(time / best(asked));
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  return best(problem) * ratios[ratios.size() / 2];
}

TimeModel time_model_of(std::span<const TableSource> sources, std::string_view gfx, std::int64_t cu_num) {
  TimeModel model(device_key(gfx, cu_num));
  for (const auto& source : sources)
    (void)read_rows(
        read_file(source.path), source,
        [&](const TunedRow& row, std::int64_t) {
          const auto row_gfx = row.gfx.empty() ? std::string(gfx_of_cu_num(row.cu_num, gfx)) : row.gfx;
          model.add(row, device_key(row_gfx, row.cu_num == 0 ? cu_num : row.cu_num));
        },
        gfx);
  return model;
}

}  // namespace gemmtune
