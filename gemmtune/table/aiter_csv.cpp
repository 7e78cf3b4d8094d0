#include "gemmtune/table/aiter_csv.h"

#include "gemmtune/table/profile_csv.h"
#include "gemmtune/table/tuned_row_reader.h"

namespace gemmtune {
namespace {

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
  insist_on_no_profile(document.header, document.source);
  TunedRowReader reader(document.header, format, format_defaults(format), document.source);
  TunedTable table{.format = format, .columns = reader.columns()};
  for (const auto& line : document.rows) {
    if (auto complaint = reader.read(line.fields())) {
      table.unusable_lines.push_back(
          {.raw = line.raw, .where = document.where(line, complaint->cell), .reason = std::move(complaint->reason)});
      continue;
    }
    table.rows.push_back(reader.row());
    table.rows.back().line = line.raw;
  }
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
