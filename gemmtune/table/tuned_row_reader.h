// Reads lines of a GEMM table as typed rows, whatever their spelling. Only this reader decides which lines are rows,
// for tables that are rewritten (table/aiter_csv.h) and for tables that a dispatcher uses. The lines may come from
// anywhere.
// Cells that a short line lacks are empty. Empty, Null, None and nan state nothing. A size must state something; a flag
// that states nothing is not set; all other fields keep their defaults. 128.0 is a whole number, because pandas writes
// columns with a gap like this.
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

/// Why a line is not a row.
struct LineComplaint {
  std::size_t cell{};    // index of a cell that the line has
  std::string reason{};  // "M: found 'x', expected a whole number above 0"
};

class TunedRowReader {
 public:
  /// `defaults` supplies what rows do not state. Throws Error{input} if the names are not the columns of the format.
  /// `source` is the file's name for that message.
  TunedRowReader(const std::vector<std::string>& names, Format format, const Problem& defaults,
                 std::string_view source);

  /// Reads the cells of one line into row().
  [[nodiscard]] std::optional<LineComplaint> read(std::span<const CsvField> cells);

  /// The row that was read last, if there was no complaint.
  const TunedRow& row() const { return row_; }

  const std::vector<Column>& columns() const { return columns_; }

 private:
  bool take(std::size_t column, std::string_view text);
  std::string complaint_on(std::size_t column, std::string_view text) const;

  std::vector<Column> columns_;
  std::vector<CellKind> kinds_;  // the kind of each column
  TunedRow defaults_;
  TunedRow row_;  // reused, so that its texts keep their memory from line to line
};

}  // namespace gemmtune
