// Lines and cells that are not what the header announces.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/dtype.h"
#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/lint/served_lines.h"

namespace gemmtune::lint_checks {
namespace {

Place place_in(const LintTable& table, const CsvRow& row, std::size_t cell) {
  return {table.document.source, row.line, row.cells[std::min(cell, row.cells.size() - 1)].column};
}

bool is_short(const LintTable& table, const CsvRow& row) {
  return row.cells.size() < needed_cells(table.document.header);
}

/// "file:line:column" taken apart. The file's name may contain colons.
Place place_from(const std::string& where) {
  const auto second = where.rfind(':');
  const auto first = where.rfind(':', second - 1);
  return {where.substr(0, first), parse_int(where.substr(first + 1, second - first - 1)).value_or(0),
          parse_int(where.substr(second + 1)).value_or(0)};
}

/// Stricter than why_not(): a name is not a number, and a number is not a name.
bool fits(const SheetColumn& column, std::string_view text) {
  if (!column.known) return true;
  const bool is_number = parse_double(text).has_value();
  const bool is_named = column.role == Role::kernel_name || column.name == "libtype" || column.name == "gfx" ||
                        column.kind == CellKind::type;
  if (is_named) return !is_number && !parse_bool(text);
  return why_not(column.kind, text).empty();
}

std::int64_t misfits(const LintTable& table, std::span<const CsvCell> cells, std::size_t first_column) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < cells.size() && first_column + i < table.sheet.columns.size(); ++i)
    count += fits(table.sheet.columns[first_column + i], cells[i].text) ? 0 : 1;
  return count;
}

struct Shift {
  std::size_t cell{};  // the first cell that is in another cell's place
  int by{};            // 1: a cell is missing before it; -1: there is one too many
};

std::size_t first_misfit(const LintTable& table, const CsvRow& row) {
  std::size_t at = 0;
  while (at < row.cells.size() && misfits(table, std::span(row.cells).subspan(at, 1), at) == 0) ++at;
  return at;
}

/// A short line with a misfit, or any line with two misfits, that has no misfit once all cells from one cell on are
/// moved by one column. Reports the last such cell, because everything before it is in its column.
std::optional<Shift> shift_of(const LintTable& table, const CsvRow& row) {
  const std::span<const CsvCell> cells(row.cells);
  const std::int64_t enough = cells.size() < table.sheet.columns.size() ? 1 : 2;
  if (misfits(table, cells, 0) < enough) return std::nullopt;
  for (auto at = first_misfit(table, row); at > 0; --at) {
    if (misfits(table, cells.subspan(at), at + 1) == 0) return Shift{at, 1};
    if (misfits(table, cells.subspan(at), at - 1) == 0) return Shift{at, -1};
  }
  return std::nullopt;
}

std::string shift_message(const LintTable& table, const CsvRow& row, const Shift& shift) {
  const auto& name = table.sheet.columns[std::min(shift.cell, table.sheet.columns.size() - 1)].name;
  return fmt::format("'{}' stands under {}: the cells from here on fit one column {}", row.cells[shift.cell].text, name,
                     shift.by > 0 ? "further right" : "further left");
}

}  // namespace

/// The lines that the sheet or serving do not read, each once, with the reason.
Remarks unusable_lines(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    std::set<std::int64_t> told;
    const auto tell = [&](Place place, const std::string& reason) {
      if (!is_short(table, line_at(table, place.line)) && told.insert(place.line).second)
        remarks.push_back({std::move(place), fmt::format("{}; nothing reads this line", reason)});
    };
    for (const auto& line : table.sheet.unusable) tell(place_from(line.where), line.reason);
    for (const auto& [line, complaint] : refused_lines(table))
      tell(place_in(table, *line, complaint.cell), complaint.reason);
  }
  return remarks;
}

Remarks short_rows(const LintInput& input) {
  return remarks_on<lines>(input, [](const LintTable& table, const CsvRow& row) -> MaybeRemark {
    if (!is_short(table, row)) return std::nullopt;
    const auto needed = needed_cells(table.document.header);
    return Remark{place_in(table, row, row.cells.size()),
                  fmt::format("{}; nothing reads this line", too_few_cells(row.cells.size(), needed))};
  });
}

Remarks long_rows(const LintInput& input) {
  return remarks_on<lines>(input, [](const LintTable& table, const CsvRow& row) -> MaybeRemark {
    const auto columns = table.sheet.columns.size();
    const auto is_empty = [](const CsvCell& cell) { return cell.text.empty(); };
    if (row.cells.size() <= columns || !std::ranges::all_of(std::span(row.cells).subspan(columns), is_empty))
      return std::nullopt;
    return Remark{place_in(table, row, columns), fmt::format("{} cells, the header has {}", row.cells.size(), columns)};
  });
}

Remarks shifted_columns(const LintInput& input) {
  return remarks_on<lines>(input, [](const LintTable& table, const CsvRow& row) -> MaybeRemark {
    const auto shift = shift_of(table, row);
    if (!shift) return std::nullopt;
    return Remark{place_in(table, row, shift->cell), shift_message(table, row, *shift)};
  });
}

/// Where serving reads a table, a cell that it cannot read makes the line unusable.
Remarks odd_cells(const LintInput& input) {
  return remarks_on<lines>(input, [](const LintTable& table, const CsvRow& row) -> MaybeRemark {
    if (may_be_served(table)) return std::nullopt;
    for (std::size_t i = 0; i < std::min(row.cells.size(), table.sheet.columns.size()); ++i) {
      const auto& column = table.sheet.columns[i];
      if (!column.known || column.in_key() || column.role == Role::time) continue;  // these make a line unusable
      const auto expected = why_not(column.kind, row.cells[i].text);
      if (!expected.empty())
        return Remark{place_in(table, row, i),
                      fmt::format("{}: found '{}', expected {}", column.name, row.cells[i].text, expected)};
    }
    return std::nullopt;
  });
}

}  // namespace gemmtune::lint_checks
