// Estimates how long a problem would take if it were tuned, from the rows of tables, for problems that have no row. The
// estimates rank what is worth tuning. They promise nothing.
//
//   rows of the same layer (N, K, batch, types, device) on both sides of M   interpolated linearly between them
//   one of a larger M only    its time, scaled by the bytes that must be moved
//   one of a smaller M only   its time · M / its M
//   none                      the work, divided by the speeds of the eight most similar rows of these types
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

class TimeModel {
 public:
  explicit TimeModel(const DeviceKey& device) : device_(device) {}

  /// Leaves out rows of other devices and rows without a time. Among rows with equal keys, the fastest counts.
  void add(const TunedRow& row, const DeviceKey& device);

  /// The estimate in microseconds. Empty if there is no row of these types.
  std::optional<double> estimate_us(const Problem& problem) const;

 private:
  using TimesByM = std::map<std::int64_t, double>;

  struct Known {
    Problem problem{};
    double time_us{};
  };

  std::optional<double> from_layer(const Problem& problem) const;
  std::optional<double> from_similar(const Problem& problem) const;

  DeviceKey device_;
  /// N, K, batch and types: what a lookup distinguishes (dispatch/index/lookup_key.h), except M.
  using LayerKey = std::pair<std::uint64_t, std::uint64_t>;

  LayerKey layer_of(const Problem& problem) const;

  std::map<LayerKey, TimesByM> layers_;
  std::map<std::uint64_t, std::vector<Known>> types_;  // the key is the types alone
};

/// A model of all rows of these files. Throws Error{input} as load_tables() does.
TimeModel time_model_of(std::span<const TableSource> sources, std::string_view gfx, std::int64_t cu_num);

}  // namespace gemmtune
