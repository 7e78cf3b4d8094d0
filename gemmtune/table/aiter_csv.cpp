#include "gemmtune/table/aiter_csv.h"

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet.h"

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

/// The rows of a sheet as typed values; a line that is none joins those that cannot be used.
class RowReader {
 public:
  RowReader(const Sheet& sheet, TunedTable& table) : sheet_(sheet), table_(table) {}

  void read(const SheetRow& row) {
    TunedRow typed{};  // member by member: g++ 12 takes an aggregate of both for uninitialised at -O3
    typed.problem = format_defaults(table_.format);
    typed.line = row.raw;
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i) {
      const auto text = canonical_value(sheet_.columns[i].kind, row.cells[i]);
      if (text.empty() || parse_cell(table_.columns[i].field, text, typed)) continue;
      return keep_unusable(row, i,
                           fmt::format("{}: found '{}', which it cannot be", sheet_.columns[i].name, row.cells[i]));
    }
    if (auto why = why_invalid(typed.problem); !why.empty()) return keep_unusable(row, 0, std::move(why));
    table_.rows.push_back(std::move(typed));
  }

 private:
  void keep_unusable(const SheetRow& row, std::size_t column, std::string reason) {
    table_.unusable_lines.push_back({.raw = row.raw, .where = sheet_.where(row, column), .reason = std::move(reason)});
  }

  const Sheet& sheet_;
  TunedTable& table_;
};

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
  for (const auto& line : table.unusable_lines) text += line.raw + '\n';
  return text;
}

TunedTable read_tuned_table(const CsvDocument& document, Format format) {
  auto sheet = sheet_of(document);
  TunedTable table{
      .format = format, .columns = columns_from_header(document.header), .unusable_lines = std::move(sheet.unusable)};
  if (!is_of_format(table.columns, format))
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected those of an {} table: {}", document.source,
         join(document.header, ","), to_string(format), join(tuned_columns(format), ","));
  RowReader reader(sheet, table);
  for (const auto& row : sheet.rows) reader.read(row);
  return table;
}

TunedTable read_tuned_table(const std::filesystem::path& path, Format format, Schema schema) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const bool is_there = error != std::errc::no_such_file_or_directory;
  if (!is_there || (!error && size == 0)) return empty_table(format, schema);
  return read_tuned_table(read_csv(path), format);
}

}  // namespace gemmtune
