// A tuned table in memory: rows in one dialect, all of them usable. table/aiter_csv.h reads and writes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/sheet/sheet.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

struct TunedTable {
  Format format{Format::a16w16};
  std::vector<Column> columns{};
  std::vector<TunedRow> rows{};
  std::vector<UnusableLine> unusable_lines{};  // written back after the rows

  bool operator==(const TunedTable&) const = default;
};

/// A table with the schema's columns and no rows.
TunedTable empty_table(Format format, Schema schema = Schema::seed);

/// The first row with this row's key that has a time and an error ratio.
std::optional<TunedRow> find_tuned(const TunedTable& table, const TunedRow& row);

/// find_tuned() in constant time, for whoever asks for many rows. The table must outlive it unchanged.
class TunedRows {
 public:
  explicit TunedRows(const TunedTable& table);

  const TunedRow* find(const TunedRow& row) const;

 private:
  const TunedTable* table_;
  std::unordered_map<std::string, const TunedRow*> rows_{};
};

/// Whether find_tuned() finds a row.
bool is_tuned(const TunedTable& table, const TunedRow& row);

/// The table in which this row replaces all rows with its key, at the place of the first. If there was none, the row is
/// at the end.
TunedTable with_row(TunedTable table, TunedRow row);

/// with_row() of all these rows, one after the other, in the time of one look at the table.
TunedTable with_rows(TunedTable table, std::span<const TunedRow> rows);

/// The rows in AITER's order: by key, N before M. Rows with equal keys keep their order.
TunedTable sorted(TunedTable table);

/// The problem that would be read from a row written for this one. It differs if the format has no column for something
/// that the problem requires (an a4w4 table cannot state that the output is f32).
Problem as_read_back(const TunedTable& table, const Problem& problem);

/// Whether the table's columns can state this problem's layout and epilogue. If they cannot, its rows say nothing about
/// the problem, and no row may be written for it.
bool says_layout_and_epilogue(const TunedTable& table, const Problem& problem);

}  // namespace gemmtune
