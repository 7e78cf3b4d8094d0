// Reads lines of a GEMM table as typed rows, whatever the spelling: the one place that says which lines are rows, for
// tables that are rewritten (table/aiter_csv.h) and for those that are served. Not: where the lines come from.
//
// Cells that a short line lacks are empty. Empty, Null, None and nan say nothing: sizes must say something, flags are
// then not set, all other fields keep their defaults. 128.0 is a whole number, as pandas writes columns with a gap.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv_scanner.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/sheet/known_columns.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

/// Why a line is no row.
struct LineComplaint {
  std::size_t cell{};    // of those that the line has, where to look
  std::string reason{};  // "M: found 'x', expected a whole number above 0"
};

class TunedRowReader {
 public:
  /// `defaults` is what rows do not say. Throws Error{input} when the names are not those of the format's columns;
  /// `source` is the file, for that message.
  TunedRowReader(const std::vector<std::string>& names, Format format, const Problem& defaults,
                 std::string_view source);

  /// Reads the cells of one line into row().
  [[nodiscard]] std::optional<LineComplaint> read(std::span<const CsvField> cells);

  /// What was read last, if nothing was complained of.
  const TunedRow& row() const { return row_; }

  const std::vector<Column>& columns() const { return columns_; }

 private:
  bool take(std::size_t column, std::string_view text);
  std::string complaint_on(std::size_t column, std::string_view text) const;

  std::vector<Column> columns_;
  std::vector<CellKind> kinds_;  // of the columns
  TunedRow defaults_;
  TunedRow row_;  // always the same one: its texts keep their memory from line to line
};

}  // namespace gemmtune
