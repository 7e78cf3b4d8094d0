#include "gemmtune/core/csv.h"

#include <algorithm>

#include "gemmtune/core/csv_scanner.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

CsvRow kept(const CsvScanner& scanner) {
  CsvRow row{.line = scanner.line(), .raw = std::string(scanner.raw())};
  row.cells.reserve(scanner.fields().size());
  for (const auto& field : scanner.fields()) row.cells.push_back({std::string(field.text), field.column});
  return row;
}

}  // namespace

std::vector<CsvField> CsvRow::fields() const {
  std::vector<CsvField> fields;
  for (const auto& cell : cells) fields.push_back({cell.text, cell.column});
  return fields;
}

std::optional<std::size_t> CsvDocument::column(std::string_view name) const {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (equals_ignoring_case(header[i], name)) return i;
  return std::nullopt;
}

std::string_view CsvDocument::text(const CsvRow& row, std::optional<std::size_t> column) const {
  return column && *column < row.cells.size() ? std::string_view(row.cells[*column].text) : std::string_view();
}

std::string CsvDocument::where(const CsvRow& row, std::optional<std::size_t> column) const {
  const auto& cell = column && *column < row.cells.size() ? row.cells[*column] : row.cells.back();
  return fmt::format("{}:{}:{}", source, row.line, cell.column);
}

CsvDocument parse_csv(std::string_view text, std::string source) {
  CsvScanner scanner(text, source);
  if (!scanner.next()) fail(ErrorCode::input, "{}:1:1: the file is empty, expected a header line", source);
  CsvDocument document{.source = std::move(source), .header = {}, .rows = {}};
  for (const auto& field : scanner.fields()) document.header.emplace_back(field.text);
  while (scanner.next()) document.rows.push_back(kept(scanner));
  return document;
}

CsvDocument read_csv(const std::filesystem::path& path) { return parse_csv(read_file(path), path.string()); }

void insist_on_header(const CsvDocument& document) {
  const auto is_number = [](const std::string& name) { return parse_double(name).has_value(); };
  if (std::ranges::all_of(document.header, is_number))
    fail(ErrorCode::input, "{}:1:1: found {} in the first line, expected the names of the columns, as M,N,K",
         document.source, join(document.header, ","));
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    const bool quote = cell.find_first_of(",\"\r\n") != std::string::npos || trim(cell).size() != cell.size();
    if (!quote) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line;
}

}  // namespace gemmtune
