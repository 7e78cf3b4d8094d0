// All rows of a set of tables, prepared for lookups. It is immutable: any number of threads read it at once, and a
// lookup neither locks nor allocates nor throws.
//
// A lookup considers only rows of this device, N, K, batch and types (dispatch/index/lookup_key.h). It tries in this
// order:
//   exact          a row for M
//   padded_fine    a row for M rounded up in fine steps (table/padded_m.h)
//   padded_coarse  a row for M rounded up in coarse steps
//   nearest        the row whose M is nearest on a logarithmic scale, within MatchRules::nearest_factor
//   fallback       no row: a rule chooses (dispatch/fallback.h)
//
// Batched problems have exact rows or none, as in AITER. dispatch/index/table_index_builder.h builds an index;
// dispatch/explain.h explains an answer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/dispatch/index/group_table.h"
#include "gemmtune/dispatch/index/text_pool.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct MatchRules {
  std::int64_t nearest_factor{2};  // a nearest row is for M / factor to M · factor; 1: no nearest rows

  bool operator==(const MatchRules&) const = default;
};

/// A device that tables have rows for.
struct TableDevice {
  std::string gfx{};
  std::int64_t cu_num{};
  std::int64_t row_count{};

  auto operator<=>(const TableDevice&) const = default;
};

class TableIndex {
 public:
  TableIndex() = default;
  TableIndex(TableIndex&&) = default;
  TableIndex& operator=(TableIndex&&) = default;

  /// The answer is valid as long as this index, so a temporary index cannot be asked.
  [[nodiscard]] Answer lookup(const Problem& problem, const DeviceKey& device) const& noexcept;
  Answer lookup(const Problem& problem, const DeviceKey& device) && = delete;

  /// What a lookup finds at this level, whether or not an earlier level has a row. Empty for fallback.
  [[nodiscard]] std::optional<Answer> try_level(MatchKind level, const Problem& problem,
                                                const DeviceKey& device) const& noexcept;
  std::optional<Answer> try_level(MatchKind level, const Problem& problem, const DeviceKey& device) && = delete;

  const MatchRules& rules() const { return rules_; }
  std::int64_t key_count() const { return static_cast<std::int64_t>(rows_.size()); }
  const std::vector<TableDevice>& devices() const { return devices_; }

 private:
  friend class TableIndexBuilder;

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// The row for one M: everything that an answer says, so that it need not read the choice itself.
  struct Row {
    std::uint32_t m{};
    std::uint32_t best{none};  // index in choices_
    std::uint32_t runner_up{none};
    double time_us{};  // of the best choice
  };

  const RowGroup* group_for(const Problem& problem, const DeviceKey& device) const noexcept;
  std::uint32_t lower_bound(const RowGroup& group, std::int64_t m) const noexcept;
  const Row* row_at(const RowGroup& group, std::int64_t m) const noexcept;
  const Row* nearest(const RowGroup& group, std::int64_t m) const noexcept;
  Answer find(const RowGroup& group, const Problem& problem, const DeviceKey& device) const noexcept;
  Answer answer_of(MatchKind match, const Row& row, std::int64_t m) const noexcept;

  MatchRules rules_;
  GroupTable groups_;
  std::vector<Row> rows_;  // sorted by group, then by M
  std::vector<Choice> choices_;
  std::vector<TableDevice> devices_;
  TextPool texts_;
};

}  // namespace gemmtune
