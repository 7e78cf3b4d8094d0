// Reads lines of a GEMM table as typed rows, whatever their spelling. This is the one place that decides which lines
// are rows, for tables that are rewritten (table/aiter_csv.h) and for tables that are served. Not: where the lines
// come from.
// A line with fewer cells than the header is no row: it may have been cut. Empty, Null, None and nan say nothing: a
// size must say something, a flag is then not set, and all other fields keep their defaults; but an error ratio of nan
// is a wrong result. 128.0 is a whole number, because pandas writes columns with a gap like this. What older
// generations do not say: rows of block-scaled and bpreshuffle tables without libtype are CK's. bpreshuffle rows
// without q_dtype_w are FP8, in the encoding of their device.
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
  /// `defaults` is what rows do not state. Throws Error{input} if the names are not the columns of the format, if two
  /// of them are the same, and if one is a key that tuned rows do not have; `source` is the file, for the message.
  TunedRowReader(const std::vector<std::string>& names, Format format, const Problem& defaults,
                 std::string_view source);

  /// Reads the cells of one line into row().
  [[nodiscard]] std::optional<LineComplaint> read(std::span<const CsvField> cells);

  /// The row that was read last, if there was no complaint.
  const TunedRow& row() const { return row_; }

  const std::vector<Column>& columns() const { return columns_; }

 private:
  bool take(std::size_t column, std::string_view text);
  bool take_share(std::string_view text);
  void fill_fp8(std::span<const CsvField> cells);
  std::string complaint_on(std::size_t column, std::string_view text) const;

  std::vector<Column> columns_;
  std::vector<CellKind> kinds_;  // of the columns
  std::size_t needed_{};         // cells that a line must have
  bool is_fp8_unless_said_{};    // rows that do not say their types
  TunedRow defaults_;
  TunedRow row_;  // reused, so that its texts keep their memory from line to line
};

}  // namespace gemmtune
