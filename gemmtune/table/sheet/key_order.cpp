#include "gemmtune/table/sheet/key_order.h"

#include <algorithm>

#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/schema.h"

namespace gemmtune {
namespace {

/// Bytes that compare like the numbers: the sign is inverted, and the most significant byte comes first.
std::string number_bytes(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
  std::string bytes(9, '\1');
  for (std::size_t i = 0; i < 8; ++i) bytes[8 - i] = static_cast<char>(bits >> (8 * i));
  return bytes;
}

/// Missing values come first, then numbers, then texts.
std::string value_bytes(CellKind kind, std::string_view text) {
  const auto value = canonical_value(kind, text);
  if (value.empty() || (kind == CellKind::flag && value == "0")) return std::string(1, '\0');
  if (kind != CellKind::word && kind != CellKind::type)
    if (const auto number = parse_int(value)) return number_bytes(*number);
  return '\2' + value + '\0';
}

/// The key columns among these columns, N before M.
std::vector<SheetColumn> keys_in_order(const std::vector<SheetColumn>& columns) {
  auto keys = in_canonical_order(columns);
  std::erase_if(keys, [](const SheetColumn& column) { return !column.in_key(); });
  const auto m = std::ranges::find(keys, find_known_column("M"), &SheetColumn::known);
  const auto n = std::ranges::find(keys, find_known_column("N"), &SheetColumn::known);
  if (m != keys.end() && n != keys.end()) std::iter_swap(m, n);
  return keys;
}

}  // namespace

KeyOrder::KeyOrder(const Sheet& sheet, const std::vector<SheetColumn>& columns) : sheet_(sheet) {
  for (const auto& key : keys_in_order(columns)) {
    const auto name = canonical_name(key);
    keys_.push_back({.kind = key.kind, .column = sheet.column(name), .is_gfx = name == "gfx"});
  }
}

std::string KeyOrder::bytes(const SheetRow& row) const {
  std::string bytes;
  for (const auto& key : keys_)
    bytes += value_bytes(key.kind, key.is_gfx ? gfx_of(sheet_, row) : sheet_.text(row, key.column));
  return bytes;
}

Sheet sorted_by_key(Sheet sheet) {
  const KeyOrder order(sheet, sheet.columns);
  std::vector<std::pair<std::string, SheetRow>> rows;
  rows.reserve(sheet.rows.size());
  for (auto& row : sheet.rows) {
    auto bytes = order.bytes(row);
    rows.emplace_back(std::move(bytes), std::move(row));
  }
  std::ranges::stable_sort(rows, {}, &std::pair<std::string, SheetRow>::first);
  sheet.rows.clear();
  for (auto& [bytes, row] : rows) sheet.rows.push_back(std::move(row));
  return sheet;
}

}  // namespace gemmtune
