// Reads and writes CSV as used by tuning tables: a header line, then rows. The reader accepts what real files contain
// (CRLF, blank lines, blanks and tabs around cells, no final newline, short rows, a BOM, quoted cells) and records the
// exact position of each cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv_scanner.h"

namespace gemmtune {

struct CsvCell {
  std::string text{};     // trimmed, unquoted
  std::int64_t column{};  // 1-based character position in the line, for messages

  bool operator==(const CsvCell&) const = default;
};

struct CsvRow {
  std::int64_t line{};  // 1-based
  std::vector<CsvCell> cells{};
  std::string raw{};  // the line as it is in the file, without its end

  /// Valid as long as the row's cells.
  std::vector<CsvField> fields() const;
};

/// A parsed file. Rows may be shorter or longer than the header; the caller decides what that means.
struct CsvDocument {
  std::string source{};  // path or "<text>", for messages
  std::vector<std::string> header{};
  std::vector<CsvRow> rows{};  // blank lines left out

  /// The index of the column with this name; case is ignored.
  std::optional<std::size_t> column(std::string_view name) const;

  /// The text of the cell, or "" when the row is too short or there is no such column.
  std::string_view text(const CsvRow& row, std::optional<std::size_t> column) const;

  /// "file:line:column", for messages about this cell.
  std::string where(const CsvRow& row, std::optional<std::size_t> column) const;
};

/// Throws Error{input} with file:line:column when the file cannot be read as CSV at all: no header, an unclosed quote,
/// or a NUL byte.
CsvDocument parse_csv(std::string_view text, std::string source = "<text>");
CsvDocument read_csv(const std::filesystem::path& path);

/// Throws Error{input} that shows the first line if it has only numbers: then the columns have no names.
void insist_on_header(const CsvDocument& document);

/// One line without its end. Cells are quoted where necessary.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace gemmtune
