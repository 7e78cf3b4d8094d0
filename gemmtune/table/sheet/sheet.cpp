#include "gemmtune/table/sheet/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::string_view kernel_list_key = "knl_name";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The column with this name. If a known column occurs twice, the second one counts as unknown.
SheetColumn column_named(const std::string& name, const std::vector<SheetColumn>& before) {
  const auto known = find_known_column(name);
  if (!known || std::ranges::find(before, known, &SheetColumn::known) != before.end()) return {.name = name};
  const auto& column = known_columns()[*known];
  return {.name = name, .role = column.role, .kind = column.kind, .known = known};
}

bool has(const std::vector<SheetColumn>& columns, std::string_view name) {
  const auto known = find_known_column(name);
  return std::ranges::find(columns, known, &SheetColumn::known) != columns.end();
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
  for (const auto& name : names) columns.push_back(column_named(name, columns));
  const bool is_kernel_list = has(columns, kernel_list_key);
  for (auto& column : columns)
    if (is_kernel_list && column.known && column.known != find_known_column(kernel_list_key))
      column.role = Role::choice;
  return columns;
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
  std::ranges::sort(columns_, {}, [&](std::size_t i) { return sheet.columns[i].known; });
}

std::string KeyReader::text(const SheetRow& row) const {
  const auto gfx = gfx_of(sheet_, row);
  auto key = gfx.empty() ? std::string() : "gfx=" + gfx;
  for (const auto i : columns_) {
    const auto& column = sheet_.columns[i];
    const auto value = canonical_value(column.kind, row.cells[i]);
    if (value.empty() || (column.kind == CellKind::flag && value == "0")) continue;
    if (!key.empty()) key += ',';
    key += known_columns()[*column.known].name;
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
  const auto said = canonical_value(CellKind::word, text(gfx));
  return said.empty() ? std::string(gfx_of(text(cu_num))) : said;
}

std::optional<double> time_us(const Sheet& sheet, const SheetRow& row) {
  const auto time = parse_double(sheet.text(row, sheet.column(Role::time)));
  return time && std::isfinite(*time) && *time > 0 ? time : std::nullopt;
}

}  // namespace gemmtune
