#include "gemmtune/table/aiter_csv.h"

#include <algorithm>
#include <optional>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

bool has_field(const std::vector<Column>& columns, Field field) {
  return std::ranges::find(columns, field, &Column::field) != columns.end();
}

/// Columns that came or went with AITER's generations.
bool is_optional(Field field) {
  return field == Field::gfx || field == Field::cu_num || field == Field::scale_ab || field == Field::bpreshuffle;
}

/// A table is of a format when they agree on what a key is, and it has times and names.
bool is_of_format(const std::vector<Column>& columns, Format format) {
  const auto expected = default_columns(format);
  for (auto field = Field::gfx; is_key(field); field = static_cast<Field>(static_cast<int>(field) + 1))
    if (!is_optional(field) && has_field(columns, field) != has_field(expected, field)) return false;
  return has_field(columns, Field::time_us) && has_field(columns, Field::kernel_name);
}

std::optional<TunedRow> parse_row(const CsvRow& line, const TunedTable& table) {
  if (line.cells.size() > table.columns.size()) return std::nullopt;
  TunedRow row{.problem = format_defaults(table.format), .line = line.raw};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto field = table.columns[i].field;
    const std::string_view text = i < line.cells.size() ? std::string_view(line.cells[i].text) : std::string_view();
    if (text.empty() && !is_key(field) && field != Field::time_us) continue;
    if (text.empty() || !parse_cell(field, text, row)) return std::nullopt;
  }
  return why_invalid(row.problem).empty() ? std::optional(row) : std::nullopt;
}

std::string row_text(const std::vector<Column>& columns, const TunedRow& row) {
  if (!row.line.empty()) return row.line;
  std::vector<std::string> cells;
  for (const auto& column : columns) cells.push_back(cell_text(column.field, row));
  return csv_line(cells);
}

}  // namespace

std::vector<std::string> tuned_columns(Format format) {
  std::vector<std::string> names;
  for (const auto& column : default_columns(format)) names.push_back(column.name);
  return names;
}

std::string tuned_table_text(const TunedTable& table) {
  auto text = header_text(table.columns) + '\n';
  for (const auto& row : table.rows) text += row_text(table.columns, row) + '\n';
  for (const auto& line : table.unusable_lines) text += line + '\n';
  return text;
}

TunedTable read_tuned_table(const CsvDocument& document, Format format) {
  TunedTable table{.format = format, .columns = columns_from_header(document.header)};
  if (!is_of_format(table.columns, format))
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected those of an {} table: {}", document.source,
         join(document.header, ","), to_string(format), join(tuned_columns(format), ","));
  for (const auto& line : document.rows) {
    if (auto row = parse_row(line, table))
      table.rows.push_back(std::move(*row));
    else
      table.unusable_lines.push_back(line.raw);
  }
  return table;
}

TunedTable read_tuned_table(const std::filesystem::path& path, Format format) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const bool is_there = error != std::errc::no_such_file_or_directory;
  if (!is_there || (!error && size == 0)) return empty_table(format);
  return read_tuned_table(read_csv(path), format);
}

}  // namespace gemmtune
