// How fast tuned tables say a problem is, or that its neighbours in M are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// A kind of device, as tables and captures name it.
struct TunedDevice {
  std::string gfx{};  // a table that does not say it serves any with so many units
  std::int64_t cu_num{};
};

class TunedTimes {
 public:
  /// Rows without a time tell nothing. Of rows of one key the fastest counts.
  void add(TunedTable table);

  bool empty() const { return tables_.empty(); }

  /// Of the row for this very problem, in whichever table.
  std::optional<double> exact(const TunedDevice& device, const Problem& problem) const;

  /// Between the rows of the nearest M below and above, in proportion. Nothing where one of them is missing.
  std::optional<double> between_neighbours(const TunedDevice& device, const Problem& problem) const;

 private:
  using TimesByM = std::map<std::int64_t, double>;
  using Key = std::tuple<std::string, std::int64_t, Problem>;  // gfx, cu_num, the problem with M = 0

  struct Known {
    TunedTable table{};
    std::map<Key, TimesByM> times{};
  };

  /// One for each table and way of naming the device that has rows for it.
  std::vector<const TimesByM*> rows_for(const TunedDevice& device, const Problem& problem) const;

  std::vector<Known> tables_;
};

}  // namespace gemmtune
