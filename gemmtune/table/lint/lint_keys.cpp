// Finds keys that occur more than once. One of their rows is used: the fastest of those with right results, or the
// first of equally fast ones.
#include <fmt/format.h>

#include <map>
#include <string>
#include <unordered_map>

#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/sheet/sheet_family.h"

namespace gemmtune::lint_checks {
namespace {

struct Entry {
  std::size_t table{};
  std::size_t row{};
  std::optional<double> time_us{};
  bool is_wrong{};
};

using Entries = std::vector<Entry>;
using ByKey = std::unordered_map<std::string, Entries>;

ByKey rows_by_key(const LintInput& input, const std::vector<std::size_t>& tables) {
  ByKey by_key;
  for (const auto table : tables) {
    const auto& sheet = input.tables[table].sheet;
    const KeyReader key(sheet);
    for (std::size_t row = 0; row < sheet.rows.size(); ++row)
      by_key[key.text(sheet.rows[row])].push_back(
          {table, row, time_us(sheet, sheet.rows[row]), is_wrong(sheet, sheet.rows[row])});
  }
  return by_key;
}

/// The order in which rows are preferred, as in dispatch/index/table_index_builder.h.
bool is_served_before(const Entry& a, const Entry& b) {
  if (a.is_wrong != b.is_wrong) return b.is_wrong;
  return a.time_us && (!b.time_us || *a.time_us < *b.time_us);
}

const Entry& serving(const Entries& entries) {
  const auto* best = &entries.front();
  for (const auto& entry : entries)
    if (is_served_before(entry, *best)) best = &entry;
  return *best;
}

const SheetRow& row_of(const LintInput& input, const Entry& entry) {
  return input.tables[entry.table].sheet.rows[entry.row];
}

std::string time_text(const Entry& entry) {
  return entry.time_us ? fmt::format("{} us", *entry.time_us) : std::string("no time");
}

Remark shadowed(const LintInput& input, const Entry& loser, const Entry& winner) {
  const auto& table = input.tables[loser.table];
  const auto& row = row_of(input, loser);
  const auto& other = input.tables[winner.table].document.source;
  const auto line = row_of(input, winner).line;
  const auto there = loser.table == winner.table ? fmt::format("line {}", line) : fmt::format("{}:{}", other, line);
  const auto how = loser.is_wrong != winner.is_wrong ? "is not over the limit of errors"
                   : loser.time_us == winner.time_us ? "comes first"
                                                     : "is faster";
  return {place_of(table, row, table.sheet.column(Role::key)),
          fmt::format("never served: {} has the same key and {} ({}, here {})", there, how, time_text(winner),
                      time_text(loser))};
}

/// Where to look for the row that is used instead of another one: in the same table, or in several tables.
enum class Within { one_table, several_tables };

Remarks shadowed_among(const LintInput& input, const ByKey& by_key, Within within) {
  Remarks remarks;
  for (const auto& [key, entries] : by_key) {
    if (entries.size() < 2) continue;
    const auto& winner = serving(entries);
    for (const auto& entry : entries)
      if (&entry != &winner && (entry.table == winner.table) == (within == Within::one_table))
        remarks.push_back(shadowed(input, entry, winner));
  }
  return remarks;
}

/// Groups of tables of results, or of shapes, that share lookups: all tables of a family together, or each table alone.
using Groups = std::map<std::string, std::vector<std::size_t>>;

Groups groups_of(const LintInput& input, Within within) {
  Groups groups;
  for (std::size_t i = 0; i < input.tables.size(); ++i) {
    const auto& table = input.tables[i];
    if (!table.is_tuned() || table.sheet.kind == TableKind::unknown) continue;
    groups[within == Within::one_table ? std::to_string(i) : sheet_family(table.sheet)].push_back(i);
  }
  return groups;
}

Remarks shadowed_within(const LintInput& input, Within within) {
  Remarks remarks;
  for (const auto& [name, tables] : groups_of(input, within)) {
    const auto more = shadowed_among(input, rows_by_key(input, tables), within);
    remarks.insert(remarks.end(), more.begin(), more.end());
  }
  return remarks;
}

}  // namespace

Remarks shadowed_rows(const LintInput& input) { return shadowed_within(input, Within::one_table); }

Remarks shadowed_across_files(const LintInput& input) { return shadowed_within(input, Within::several_tables); }

Remarks repeated_shapes(const LintInput& input) {
  Remarks remarks;
  for (std::size_t i = 0; i < input.tables.size(); ++i) {
    const auto& table = input.tables[i];
    if (table.is_tuned() || table.sheet.kind == TableKind::unknown) continue;
    for (const auto& [key, entries] : rows_by_key(input, {i}))
      for (std::size_t again = 1; again < entries.size(); ++again)
        remarks.push_back({place_of(table, row_of(input, entries[again]), table.sheet.column(Role::key)),
                           fmt::format("line {} has the same key", row_of(input, entries.front()).line)});
  }
  return remarks;
}

}  // namespace gemmtune::lint_checks
