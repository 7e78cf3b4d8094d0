// How fast a problem, or its neighbours in M, are according to tuned tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// A kind of device, named as in tables and captures.
struct TunedDevice {
  std::string gfx{};  // a table that does not state it is for any device with this many units
  std::int64_t cu_num{};
};

class TunedTimes {
 public:
  /// Ignores rows without a time. Among rows with the same key, the fastest counts.
  void add(TunedTable table);

  bool empty() const { return tables_.empty(); }

  /// The time of the row for exactly this problem, in any table.
  std::optional<double> exact(const TunedDevice& device, const Problem& problem) const;

  /// The time interpolated between the rows of the nearest M below and above. Empty if one of them is missing.
  std::optional<double> between_neighbours(const TunedDevice& device, const Problem& problem) const;

 private:
  using TimesByM = std::map<std::int64_t, double>;
  using Key = std::tuple<std::string, std::int64_t, Problem>;  // gfx, cu_num, the problem with M = 0

  struct Known {
    TunedTable table{};
    std::map<Key, TimesByM> times{};
  };

  /// One entry for each table that has rows for the device, and for each way in which it may name the device.
  std::vector<const TimesByM*> rows_for(const TunedDevice& device, const Problem& problem) const;

  std::vector<Known> tables_;
};

}  // namespace gemmtune
