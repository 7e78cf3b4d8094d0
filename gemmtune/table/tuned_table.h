// A tuned table in memory: rows with unique use, in one dialect. Reading and writing stand in table/aiter_csv.h.
#pragma once

#include <optional>
#include <string>
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

/// With the schema's columns and no rows.
TunedTable empty_table(Format format, Schema schema = Schema::seed);

/// The first row with this row's key and a time in it.
std::optional<TunedRow> find_tuned(const TunedTable& table, const TunedRow& row);

/// Is there one?
bool is_tuned(const TunedTable& table, const TunedRow& row);

/// The table with this row instead of all rows of its key, at the first one's place; at the end where there was none.
TunedTable with_row(TunedTable table, TunedRow row);

/// By AITER's order: the key, N before M. Rows of equal keys keep their order.
TunedTable sorted(TunedTable table);

/// What a row written for this problem would be read back as; differs where the format has no column for what the
/// problem asks (an a4w4 table cannot say that the output is f32).
Problem as_read_back(const TunedTable& table, const Problem& problem);

/// Whether the table's columns can tell this problem's layout and epilogue from the default ones. Where they cannot,
/// its rows say nothing of the problem, and none may be written for it.
bool says_layout_and_epilogue(const TunedTable& table, const Problem& problem);

}  // namespace gemmtune
