#include "gemmtune/table/tuned_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

bool same_key(const std::vector<Column>& columns, const TunedRow& a, const TunedRow& b) {
  const auto sizes = [](const Problem& p) { return std::tie(p.n, p.m, p.k, p.batch); };
  return sizes(a.problem) == sizes(b.problem) && key_text(columns, a) == key_text(columns, b);
}

bool is_result(const TunedRow& row) { return has_time(row) && has_error_ratio(row); }

/// Equal for the rows of which same_key() says so, and for no others.
std::string whole_key(const std::vector<Column>& columns, const TunedRow& row) {
  const auto& p = row.problem;
  return fmt::format("{},{},{},{},", p.batch, p.m, p.n, p.k) + key_text(columns, row);
}

}  // namespace

TunedTable empty_table(Format format, Schema schema) {
  return {.format = format, .columns = default_columns(format, schema)};
}

std::optional<TunedRow> find_tuned(const TunedTable& table, const TunedRow& row) {
  const auto at = std::ranges::find_if(
      table.rows, [&](const TunedRow& old) { return is_result(old) && same_key(table.columns, old, row); });
  return at != table.rows.end() ? std::optional(*at) : std::nullopt;
}

TunedRows::TunedRows(const TunedTable& table) : table_(&table) {
  for (const auto& row : table.rows)
    if (is_result(row)) rows_.try_emplace(whole_key(table.columns, row), &row);
}

const TunedRow* TunedRows::find(const TunedRow& row) const {
  const auto found = rows_.find(whole_key(table_->columns, row));
  return found == rows_.end() ? nullptr : found->second;
}

bool is_tuned(const TunedTable& table, const TunedRow& row) { return find_tuned(table, row).has_value(); }

TunedTable with_row(TunedTable table, TunedRow row) {
  const auto has_key = [&](const TunedRow& old) { return same_key(table.columns, old, row); };
  const auto first = std::ranges::find_if(table.rows, has_key);
  if (first == table.rows.end()) {
    table.rows.push_back(std::move(row));
    return table;
  }
  table.rows.erase(std::remove_if(first + 1, table.rows.end(), has_key), table.rows.end());
  *first = std::move(row);
  return table;
}

TunedTable with_rows(TunedTable table, std::span<const TunedRow> rows) {
  std::unordered_map<std::string, std::size_t> latest;  // the row that counts for each key
  for (std::size_t i = 0; i < rows.size(); ++i) latest[whole_key(table.columns, rows[i])] = i;
  std::unordered_set<std::string> placed;
  std::vector<TunedRow> kept;
  for (auto& row : table.rows) {
    const auto key = whole_key(table.columns, row);
    const auto found = latest.find(key);
    if (found == latest.end())
      kept.push_back(std::move(row));
    else if (placed.insert(key).second)
      kept.push_back(rows[found->second]);
  }
  for (const auto& row : rows)
    if (const auto key = whole_key(table.columns, row); placed.insert(key).second) kept.push_back(rows[latest[key]]);
  table.rows = std::move(kept);
  return table;
}

TunedTable sorted(TunedTable table) {
  std::ranges::stable_sort(table.rows, {}, [&](const TunedRow& row) {
    const auto& p = row.problem;
    return std::tuple(row.gfx, row.cu_num, p.batch, p.n, p.m, p.k, key_text(table.columns, row));
  });
  return table;
}

Problem as_read_back(const TunedTable& table, const Problem& problem) {
  TunedRow read{.problem = format_defaults(table.format)};
  const TunedRow written{.problem = problem};
  for (const auto& [name, field] : table.columns)
    if (field > Field::cu_num && is_key(field) && !parse_cell(field, cell_text(field, written), read))
      fail(ErrorCode::internal, "column {} does not read back", name);
  return read.problem;
}

bool says_layout_and_epilogue(const TunedTable& table, const Problem& problem) {
  const auto has = [&](Field field) {
    return std::ranges::find(table.columns, field, &Column::field) != table.columns.end();
  };
  return (layout_text(problem).empty() || has(Field::layout)) &&
         (epilogue_text(problem).empty() || has(Field::epilogue));
}

}  // namespace gemmtune
