#include "gemmtune/table/sheet/sheet_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "gemmtune/table/sheet/key_order.h"
#include "gemmtune/table/sheet/layout.h"
#include "gemmtune/table/sheet/merge.h"
#include "gemmtune/table/sheet/sheet_family.h"

namespace gemmtune {
namespace {

/// A column that both tables have.
struct SharedColumn {
  std::string_view name{};
  CellKind kind{};
  Role role{};
  std::size_t before{};
  std::size_t after{};
};

std::vector<SharedColumn> shared_choices(const Sheet& before, const Sheet& after) {
  std::vector<SharedColumn> shared;
  for (std::size_t i = 0; i < before.columns.size(); ++i) {
    const auto& column = before.columns[i];
    const bool is_choice =
        column.role == Role::choice || column.role == Role::kernel_name || column.role == Role::kernel_id;
    if (!is_choice) continue;
    if (const auto at = after.column(column.name))
      shared.push_back({.name = column.name, .kind = column.kind, .role = column.role, .before = i, .after = *at});
  }
  return shared;
}

class Differ {
 public:
  explicit Differ(std::span<const Sheet, 2> both)
      : before_(both[0]),
        after_(both[1]),
        columns_(joined_columns(both)),
        choices_(shared_choices(before_, after_)),
        before_keys_(before_),
        after_keys_(after_) {}

  SheetDiff diff() {
    const auto before = by_key(before_);
    const auto after = by_key(after_);
    for (const auto& [key, row] : before)
      if (const auto found = after.find(key); found != after.end())
        compare(*row, *found->second);
      else
        diff_.only_before.push_back({.key = before_keys_.text(*row), .where = before_.where(*row)});
    for (const auto& [key, row] : after)
      if (!before.contains(key))
        diff_.only_after.push_back({.key = after_keys_.text(*row), .where = after_.where(*row)});
    return std::move(diff_);
  }

 private:
  using Rows = std::map<std::string, const SheetRow*>;

  Rows by_key(const Sheet& sheet) const {
    const KeyOrder order(sheet, columns_);
    Rows rows;
    for (const auto& row : sheet.rows) rows.emplace(order.bytes(row), &row);
    return rows;
  }

  void compare(const SheetRow& before, const SheetRow& after) {
    Changed changed{.key = before_keys_.text(before),
                    .before_where = before_.where(before),
                    .after_where = after_.where(after),
                    .before_us = time_us(before_, before),
                    .after_us = time_us(after_, after)};
    const bool named = names_a_kernel(before, after);
    for (const auto& column : choices_) {
      if (named && column.role == Role::kernel_id) continue;
      const auto& was = before.cells[column.before];
      const auto& is = after.cells[column.after];
      if (canonical_value(column.kind, was) == canonical_value(column.kind, is)) continue;
      const auto* comma = changed.before.empty() ? "" : ",";
      changed.before += fmt::format("{}{}={}", comma, column.name, was);
      changed.after += fmt::format("{}{}={}", comma, column.name, is);
    }
    file(std::move(changed));
  }

  bool names_a_kernel(const SheetRow& before, const SheetRow& after) const {
    return std::ranges::any_of(choices_, [&](const SharedColumn& column) {
      return column.role == Role::kernel_name &&
             !(before.cells[column.before].empty() && after.cells[column.after].empty());
    });
  }

  void file(Changed changed) {
    if (changed.is_other_choice())
      diff_.choices.push_back(std::move(changed));
    else if (changed.before_us != changed.after_us)
      diff_.times.push_back(std::move(changed));
    else
      ++diff_.same;
  }

  const Sheet& before_;
  const Sheet& after_;
  std::vector<SheetColumn> columns_;  // columns of both tables
  std::vector<SharedColumn> choices_;
  KeyReader before_keys_;
  KeyReader after_keys_;
  SheetDiff diff_;
};

}  // namespace

std::optional<double> Changed::ratio() const {
  if (!before_us || !after_us) return std::nullopt;
  return *after_us / *before_us;
}

SheetDiff diff(const Sheet& before, const Sheet& after) {
  const std::array<Sheet, 2> both{without_duplicates(before, MergePolicy::fastest).sheet,
                                  without_duplicates(after, MergePolicy::fastest).sheet};
  insist_on_comparable(both);
  insist_on_one_way_to_state_problems(both);
  return Differ(both).diff();
}

}  // namespace gemmtune
