// CSV as tuning tables have it: a header line, then rows. Tolerant of what real files contain (CRLF, blank lines,
// blanks and tabs around cells, no final newline, short rows, a BOM, quoted cells) and exact about where each cell
// stood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

struct CsvCell {
  std::string text{};     // trimmed, unquoted
  std::int64_t column{};  // 1-based character position in the line, for messages

  bool operator==(const CsvCell&) const = default;
};

struct CsvRow {
  std::int64_t line{};  // 1-based
  std::vector<CsvCell> cells{};
  std::string raw{};  // as it stands in the file, without its end
};

/// A parsed file. Rows may be shorter or longer than the header: what that means is the reader's business.
struct CsvDocument {
  std::string source{};  // path or "<text>", for messages
  std::vector<std::string> header{};
  std::vector<CsvRow> rows{};  // blank lines left out

  /// Index of the column with this name, case ignored.
  std::optional<std::size_t> column(std::string_view name) const;

  /// The cell's text, or "" where the row is short or there is no such column.
  std::string_view text(const CsvRow& row, std::optional<std::size_t> column) const;

  /// "file:line:column", for messages about this cell.
  std::string where(const CsvRow& row, std::optional<std::size_t> column) const;
};

/// Throws Error{input} with file:line:column only for what makes the file unreadable: no header, an unclosed quote, a
/// NUL.
CsvDocument parse_csv(std::string_view text, std::string source = "<text>");
CsvDocument read_csv(const std::filesystem::path& path);

/// One line without its end; cells are quoted where they need it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace gemmtune
