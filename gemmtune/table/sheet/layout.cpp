#include "gemmtune/table/sheet/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/schema.h"

namespace gemmtune {
namespace {

/// What identifies a column in several sheets: its index in the dictionary. An unknown column is identified by its name
/// and, if that name occurs more than once, by its occurrence.
struct Identity {
  std::optional<std::size_t> known{};
  std::string name{};
  std::size_t occurrence{};

  auto operator<=>(const Identity&) const = default;
};

std::vector<Identity> identities(const std::vector<SheetColumn>& columns) {
  std::vector<Identity> result;
  std::map<std::string, std::size_t> seen;
  for (const auto& column : columns) {
    if (column.known) {
      result.push_back({.known = column.known});
      continue;
    }
    const auto name = to_lower(column.name);
    result.push_back({.name = name, .occurrence = seen[name]++});
  }
  return result;
}

std::string common_name(const SheetColumn& a, const SheetColumn& b) {
  return a.known ? canonical_name(a) : std::min(a.name, b.name);
}

/// Gives the column the canonical spelling if two sheets spell it differently. A column of a kernel list keeps its role
/// there.
void join_spelling(SheetColumn& column, const SheetColumn& other) {
  if (column.name != other.name) column.name = common_name(column, other);
}

/// What an empty cell of this column means. For a kernel list nothing is assumed.
std::string fill_of(const Sheet& sheet, const SheetColumn& column, const SheetRow& row) {
  if (!column.known || sheet.kind == TableKind::kernel_list) return {};
  const auto& known = known_columns()[*column.known];
  return known.name == "gfx" ? gfx_of(sheet, row) : std::string(known.fill);
}

/// Moves the lines of one sheet to another layout.
class Mover {
 public:
  Mover(const Sheet& sheet, const std::vector<SheetColumn>& columns) : sheet_(sheet), columns_(columns) {
    const auto own = identities(sheet.columns);
    for (const auto& column : sheet.columns) names_.push_back(column.name);
    for (const auto& identity : identities(columns))
      from_.push_back(static_cast<std::size_t>(std::ranges::find(own, identity) - own.begin()));
  }

  SheetRow moved(const SheetRow& row) const {
    SheetRow result{.source = row.source, .line = row.line};
    result.cells.reserve(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto text = from_[i] < row.cells.size() ? std::string_view(row.cells[from_[i]]) : std::string_view();
      result.cells.push_back(text.empty() ? fill_of(sheet_, columns_[i], row) : std::string(text));
    }
    result.raw = csv_line(result.cells);
    return result;
  }

  /// Cells beyond the last column stay there, and the line stays unusable. A line that was too short gets a cell beyond
  /// the last column: filled up, it would look like a row.
  UnusableLine moved(const UnusableLine& line) const {
    const auto document = parse_csv("h\n" + line.raw);
    SheetRow row;
    for (const auto& cell : document.rows.front().cells) row.cells.push_back(cell.text);
    std::vector<std::string> beyond;
    if (row.cells.size() < needed_cells(names_)) beyond.emplace_back("the line was cut");
    for (auto i = sheet_.columns.size(); i < row.cells.size(); ++i) beyond.push_back(row.cells[i]);
    row.cells.resize(sheet_.columns.size());
    auto cells = moved(row).cells;
    cells.insert(cells.end(), beyond.begin(), beyond.end());
    return {.raw = csv_line(cells), .where = line.where, .reason = line.reason};
  }

 private:
  const Sheet& sheet_;
  const std::vector<SheetColumn>& columns_;
  std::vector<std::string> names_;  // of the sheet's columns
  std::vector<std::size_t> from_;   // for each new column its place in the old layout, or one beyond the last
};

}  // namespace

std::vector<SheetColumn> joined_columns(std::span<const Sheet> sheets) {
  std::vector<SheetColumn> joined;
  std::vector<Identity> order;
  bool is_one_order = true;
  for (const auto& sheet : sheets) {
    const auto own = identities(sheet.columns);
    is_one_order = is_one_order && (order.empty() || own == order);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto at = static_cast<std::size_t>(std::ranges::find(order, own[i]) - order.begin());
      if (at < order.size()) {
        join_spelling(joined[at], sheet.columns[i]);
        continue;
      }
      order.push_back(own[i]);
      joined.push_back(sheet.columns[i]);
    }
  }
  return is_one_order ? joined : in_canonical_order(std::move(joined));
}

Sheet in_layout(Sheet sheet, const std::vector<SheetColumn>& columns) {
  if (identities(sheet.columns) != identities(columns)) {
    const Mover mover(sheet, columns);
    for (auto& row : sheet.rows) row = mover.moved(row);
    for (auto& line : sheet.unusable) line = mover.moved(line);
  }
  sheet.columns = columns;
  return sheet;
}

Sheet concatenated(std::span<const Sheet> sheets) {
  Sheet all{.kind = sheets.front().kind, .columns = joined_columns(sheets)};
  std::map<std::string, UnusableLine> unusable;
  for (const auto& sheet : sheets) {
    auto moved = in_layout(sheet, all.columns);
    for (auto& row : moved.rows) {
      row.source += all.sources.size();
      all.rows.push_back(std::move(row));
    }
    for (auto& line : moved.unusable) unusable.try_emplace(line.raw, line);
    all.sources.insert(all.sources.end(), sheet.sources.begin(), sheet.sources.end());
  }
  for (auto& [raw, line] : unusable) all.unusable.push_back(std::move(line));
  return all;
}

ContentReader::ContentReader(const Sheet& sheet) : sheet_(sheet) {
  const auto own = identities(sheet.columns);
  for (std::size_t i = 0; i < own.size(); ++i) order_.push_back(i);
  std::ranges::sort(order_, {}, [&](std::size_t i) { return own[i]; });
  for (const auto i : order_)
    names_.push_back(own[i].known ? fmt::format("\n{}=", *own[i].known)
                                  : fmt::format("\n{}#{}=", own[i].name, own[i].occurrence));
}

std::string ContentReader::text(const SheetRow& row) const {
  std::string content = gfx_of(sheet_, row);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto at = order_[i];
    const auto& cell = row.cells[at];
    if (cell.empty() || cell == fill_of(sheet_, sheet_.columns[at], row)) continue;
    content += names_[i];
    content += cell;
  }
  return content;
}

}  // namespace gemmtune
