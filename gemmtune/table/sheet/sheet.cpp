#include "gemmtune/table/sheet/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::string_view kernel_list_key = "knl_name";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

SheetColumn column_named(const std::string& name) {
  const auto known = find_known_column(name);
  if (!known) return {.name = name};
  const auto& column = known_columns()[*known];
  return {.name = name, .role = column.role, .kind = column.kind, .known = known};
}

bool has(const std::vector<SheetColumn>& columns, std::string_view name) {
  const auto known = find_known_column(name);
  return std::ranges::find(columns, known, &SheetColumn::known) != columns.end();
}

/// What was chosen for a key, or measured: no part of a key stands behind it, except AITER's _tag.
bool is_result(const SheetColumn& column) {
  switch (column.role) {
    case Role::choice:
    case Role::kernel_name:
    case Role::kernel_id:
    case Role::time:
    case Role::part_time:
    case Role::derived:
    case Role::error:
      return true;
    case Role::device:
    case Role::key:
    case Role::provenance:
    case Role::carried:
      return false;
  }
  return false;
}

/// Columns of shape lists and captures that say how often a shape is needed and where, not which shape it is.
bool describes_demand(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"weight", "calls", "layer", "match", "tuned_m", "expected_us"};
  return std::ranges::any_of(names, [&](std::string_view known) { return equals_ignoring_case(known, name); });
}

/// pandas writes the numbers of lines into a column without a name, and calls it Unnamed when it reads it again.
bool is_line_number(std::string_view name) { return name.empty() || name.starts_with("Unnamed"); }

void make_unknown_keys(std::vector<SheetColumn>& columns) {
  const auto first_result = std::ranges::find_if(columns, is_result);
  for (auto column = columns.begin(); column != first_result; ++column)
    if (!column->known && !is_line_number(column->name) && !describes_demand(column->name)) column->role = Role::key;
}

TableKind kind_of(const std::vector<SheetColumn>& columns) {
  const auto have = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return has(columns, name); });
  };
  if (have({kernel_list_key})) return TableKind::kernel_list;
  if (have({"token", "model_dim"})) return TableKind::fused_moe;
  if (have({"H", "Hg", "V"})) return TableKind::gated_delta_net;
  return have({"M", "N", "K"}) ? TableKind::gemm : TableKind::unknown;
}

/// Reads the lines of one document as rows and unusable lines.
class SheetReader {
 public:
  explicit SheetReader(CsvDocument document) : document_(std::move(document)) {
    sheet_.sources = {document_.source};
    sheet_.columns = sheet_columns(document_.header);
    insist_on_single_columns(sheet_.columns, document_.source);
    sheet_.kind = kind_of(sheet_.columns);
  }

  Sheet read() {
    sheet_.rows.reserve(document_.rows.size());
    for (auto& line : document_.rows) take(line);
    return std::move(sheet_);
  }

 private:
  void take(CsvRow& line) {
    if (auto unusable = why_unusable(line))
      sheet_.unusable.push_back(std::move(*unusable));
    else
      sheet_.rows.push_back(row_of(line));
  }

  SheetRow row_of(CsvRow& line) const {
    SheetRow row{.raw = std::move(line.raw), .line = line.line};
    row.cells.reserve(sheet_.columns.size());
    for (auto& cell : line.cells)
      if (row.cells.size() < sheet_.columns.size()) row.cells.push_back(std::move(cell.text));
    row.cells.resize(sheet_.columns.size());
    return row;
  }

  std::optional<UnusableLine> why_unusable(const CsvRow& line) const {
    if (const auto needed = needed_cells(document_.header); line.cells.size() < needed)
      return unusable(line, line.cells.size(), too_few_cells(line.cells.size(), needed));
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i) {
      const auto& column = sheet_.columns[i];
      if (!column.in_key() && column.role != Role::time) continue;
      const auto text = document_.text(line, i);
      if (const auto expected = why_not(column.kind, text); !expected.empty())
        return unusable(line, i, fmt::format("{}: found '{}', expected {}", column.name, text, expected));
    }
    for (auto i = sheet_.columns.size(); i < line.cells.size(); ++i)
      if (!line.cells[i].text.empty())
        return unusable(
            line, i,
            fmt::format("found '{}' beyond the last column, {}", line.cells[i].text, sheet_.columns.back().name));
    return std::nullopt;
  }

  UnusableLine unusable(const CsvRow& line, std::size_t column, std::string reason) const {
    return {.raw = line.raw, .where = document_.where(line, column), .reason = std::move(reason)};
  }

  CsvDocument document_;
  Sheet sheet_;
};

}  // namespace

std::string_view to_string(TableKind kind) {
  constexpr std::array<std::string_view, 5> names{"gemm", "fused_moe", "gated_delta_net", "kernel_list", "unknown"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<std::size_t> Sheet::column(std::string_view name) const {
  const auto known = find_known_column(name);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (known ? columns[i].known == known : equals_ignoring_case(columns[i].name, name)) return i;
  return std::nullopt;
}

std::optional<std::size_t> Sheet::column(Role role) const {
  const auto found = std::ranges::find(columns, role, &SheetColumn::role);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::string_view Sheet::text(const SheetRow& row, std::optional<std::size_t> column) const {
  return column ? std::string_view(row.cells[*column]) : std::string_view();
}

std::string Sheet::where(const SheetRow& row) const { return fmt::format("{}:{}", sources[row.source], row.line); }

std::string Sheet::where(const SheetRow& row, std::optional<std::size_t> column) const {
  const auto document = parse_csv("h\n" + row.raw);
  const auto& cells = document.rows.front().cells;
  const auto& cell = column && *column < cells.size() ? cells[*column] : cells.back();
  return fmt::format("{}:{}", where(row), cell.column);
}

std::vector<SheetColumn> sheet_columns(const std::vector<std::string>& names) {
  std::vector<SheetColumn> columns;
  for (const auto& name : names) columns.push_back(column_named(name));
  if (!has(columns, kernel_list_key)) {
    make_unknown_keys(columns);
    return columns;
  }
  for (auto& column : columns)
    if (column.known && column.known != find_known_column(kernel_list_key)) column.role = Role::choice;
  return columns;
}

void insist_on_single_columns(const std::vector<SheetColumn>& columns, std::string_view source) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (!column->known && !column->in_key()) continue;
    const auto name = canonical_name(*column);
    const auto again = std::ranges::find_if(columns.begin(), column,
                                            [&](const SheetColumn& other) { return canonical_name(other) == name; });
    if (again != column)
      fail(ErrorCode::input, "{}:1:1: the column {} stands twice, as {} and as {}: nothing says which one counts",
           source, name, again->name, column->name);
  }
}

std::size_t needed_cells(const std::vector<std::string>& names) {
  auto count = names.size();
  while (count > 0 && names[count - 1].empty()) --count;
  return count;
}

std::string too_few_cells(std::size_t cells, std::size_t needed) {
  return fmt::format("{} cells, the header has {}: the line was cut, or a cell is missing", cells, needed);
}

std::string canonical_name(const SheetColumn& column) {
  return column.known ? std::string(known_columns()[*column.known].name) : to_lower(column.name);
}

Sheet sheet_of(CsvDocument document) { return SheetReader(std::move(document)).read(); }

Sheet read_sheet(const std::filesystem::path& path) { return sheet_of(read_csv(path)); }

std::string sheet_text(const Sheet& sheet) {
  std::vector<std::string> names;
  for (const auto& column : sheet.columns) names.push_back(column.name);
  auto text = csv_line(names) + '\n';
  if (text.starts_with(byte_order_mark)) text.insert(0, byte_order_mark);  // reading removes one byte order mark
  for (const auto& row : sheet.rows) text += row.raw + '\n';
  for (const auto& line : sheet.unusable) text += line.raw + '\n';
  return text;
}

KeyReader::KeyReader(const Sheet& sheet) : sheet_(sheet), gfx_(sheet.column("gfx")) {
  for (std::size_t i = 0; i < sheet.columns.size(); ++i)
    if (sheet.columns[i].in_key() && i != gfx_) columns_.push_back(i);
  std::ranges::sort(columns_, {}, [&](std::size_t i) {
    const auto& column = sheet.columns[i];
    return std::tuple(column.known.value_or(known_columns().size()), canonical_name(column));
  });
}

std::string KeyReader::text(const SheetRow& row) const {
  const auto gfx = gfx_of(sheet_, row);
  auto key = gfx.empty() ? std::string() : "gfx=" + gfx;
  for (const auto i : columns_) {
    const auto& column = sheet_.columns[i];
    const auto value = canonical_value(column.kind, row.cells[i]);
    if (value.empty() || (column.kind == CellKind::flag && value == "0")) continue;
    if (!key.empty()) key += ',';
    key += canonical_name(column);
    key += '=';
    key += value;
  }
  return key;
}

std::string gfx_of(const Sheet& sheet, const SheetRow& row) {
  static const auto gfx = find_known_column("gfx");
  static const auto cu_num = find_known_column("cu_num");
  const auto text = [&](const std::optional<std::size_t>& known) {
    const auto found = std::ranges::find(sheet.columns, known, &SheetColumn::known);
    return found == sheet.columns.end()
               ? std::string_view()
               : std::string_view(row.cells[static_cast<std::size_t>(found - sheet.columns.begin())]);
  };
  const auto said = canonical_value(CellKind::word, without_features(text(gfx)));
  return said.empty() ? std::string(gfx_of(text(cu_num))) : said;
}

std::optional<double> time_us(const Sheet& sheet, const SheetRow& row) {
  const auto time = parse_double(sheet.text(row, sheet.column(Role::time)));
  return time && std::isfinite(*time) && *time > 0 ? time : std::nullopt;
}

}  // namespace gemmtune
