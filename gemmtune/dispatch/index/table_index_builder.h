// Builds a TableIndex from rows. Among rows with the same key, the fastest is used. A row without a usable time is used
// only if there is no other, and a row whose error ratio is over the limit only if all others are over it too. Among
// equal times, the row that was added first is used.
#pragma once

#include <string_view>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

struct BuildOptions {
  MatchRules rules{};
  std::string live_gfx{};  // the device of rows without gfx, if cu_num does not determine it (gfx_of_cu_num())
};

/// The place of a row in its file.
struct RowOrigin {
  std::string_view file{};
  std::int64_t line{};
};

class TableIndexBuilder {
 public:
  explicit TableIndexBuilder(BuildOptions options);

  /// Adds a row whose problem is valid (why_invalid() is empty), from a table of `family`.
  void add(const TunedRow& row, const TableFamily& family, const RowOrigin& origin);

  TableIndex build() &&;

 private:
  struct Pending {
    std::uint32_t group{};
    std::uint32_t m{};
    std::uint32_t choice{};
    bool is_wrong{};  // whether the row's error ratio is over the limit
  };

  std::uint32_t group_of(const LookupKey& key);
  DeviceKey device_of(const TunedRow& row);
  bool is_served_before(const Pending& a, const Pending& b) const;
  void serve(const Pending& row);
  void keep_as_runner_up(const Pending& row);

  BuildOptions options_;
  TableIndex index_;
  std::vector<LookupKey> groups_;       // the index is a group's number
  std::vector<Pending> pending_;        // one for each choice
  std::vector<DeviceKey> device_keys_;  // the keys of index_.devices_
};

}  // namespace gemmtune
