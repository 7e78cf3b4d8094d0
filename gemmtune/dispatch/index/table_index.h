// All rows of a set of tables, prepared for lookups. It is immutable: any number of threads read it at once, and a
// lookup neither locks nor allocates nor throws.
//
// A lookup tries, in this order and for this device, N, K, batch and types only (dispatch/index/lookup_key.h); rows of
// tables without cu_num are for the device with any number of units:
//   exact          a row for M
//   padded_fine    a row for M rounded up in fine steps (table/padded_m.h)
//   padded_coarse  a row for M rounded up in coarse steps
//   nearest        the row whose M is nearest on a logarithmic scale, within MatchRules::nearest_factor
//   fallback       no row: a rule chooses (dispatch/fallback.h)
//
// Batched problems have exact rows or none, as in AITER, except that its BMM with block scales pads M too. A batch of 1
// is also looked for in batched tables. Built by dispatch/index/table_index_builder.h; why a lookup
// answered what it did: dispatch/explain.h.
#pragma once

#include <array>
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

/// Whether lookups of this problem try rows of other M: not for batches, except those with block scales.
bool pads_m(const Problem& problem) noexcept;

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

  /// The groups that may serve a problem. Those that tie at a level serve in this order.
  struct Groups {
    struct Member {
      const RowGroup* group{};
      bool pads{};  // M may be padded
    };
    std::array<Member, 4> members{};
    std::size_t count{};
  };

  Groups groups_for(const Problem& problem, const DeviceKey& device) const noexcept;
  const RowGroup* group_for(const Problem& problem, const DeviceKey& device, bool is_batched) const noexcept;
  const Row* row_of(MatchKind level, const RowGroup& group, const Problem& problem) const noexcept;
  std::uint32_t lower_bound(const RowGroup& group, std::int64_t m) const noexcept;
  const Row* row_at(const RowGroup& group, std::int64_t m) const noexcept;
  const Row* nearest(const RowGroup& group, std::int64_t m) const noexcept;
  std::optional<Answer> find(const Groups::Member& member, const Problem& problem) const noexcept;
  Answer answer_of(MatchKind match, const Row& row, std::int64_t m) const noexcept;

  MatchRules rules_;
  GroupTable groups_;
  std::vector<Row> rows_;  // sorted by group, then by M
  std::vector<Choice> choices_;
  std::vector<TableDevice> devices_;
  TextPool texts_;
  bool has_any_count_{};     // rows without cu_num
  bool has_batch_of_one_{};  // rows of batched tables for a batch of 1
};

}  // namespace gemmtune
