// The layout of a file, regardless of what it states. There is one remark for each file, because a user does not read
// 400 of the same kind.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gemmtune/core/text.h"
#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/lint/served_lines.h"

namespace gemmtune::lint_checks {
namespace {

struct Places {
  std::int64_t count{};
  Place first{};
};

void note(Places& places, const Place& place) {
  if (places.count++ == 0) places.first = place;
}

bool has_results(const Sheet& sheet) {
  return std::ranges::any_of(sheet.columns, [](const SheetColumn& column) {
    return column.role == Role::kernel_name || column.role == Role::kernel_id || column.role == Role::error ||
           column.role == Role::derived;
  });
}

/// What the header looks like instead of the names of columns.
std::string likeness(const std::vector<std::string>& header) {
  if (header.size() == 1 && header.front().find_first_of(";\t") != std::string::npos)
    return " (its cells do not have commas between them)";
  const bool has_number =
      std::ranges::any_of(header, [](const std::string& name) { return parse_double(name).has_value(); });
  return has_number ? " (it has no header: the first line is a row)" : "";
}

/// "" for a table that something reads. Only GEMM tables are known to need a time: some of fused MoE have none.
std::string why_unread(const LintTable& table) {
  if (table.sheet.kind == TableKind::unknown)
    return "none of its columns says what its rows are for" + likeness(table.document.header);
  if (table.sheet.kind == TableKind::gemm && has_results(table.sheet) && !table.is_tuned())
    return "it has results and no column us";
  return why_not_served(table);
}

/// One remark for all places in a file, if there are any.
template <typename Find>
Remarks one_a_file(const LintInput& input, std::string_view what, const Find& find) {
  Remarks remarks;
  for (const auto& table : input.tables)
    if (const Places places = find(table); places.count > 0)
      remarks.push_back({places.first, places.count == 1
                                           ? std::string(what)
                                           : fmt::format("{}, here and {} more", what, places.count - 1)});
  return remarks;
}

template <typename Is>
Places lines_where(const LintTable& table, const Is& is) {
  Places places;
  std::int64_t line = 0;
  for (const auto text : split(std::string_view(table.text), '\n')) {
    ++line;
    const bool behind_the_last_end = text.data() == table.text.data() + table.text.size();
    if (!behind_the_last_end && is(text))
      note(places, {table.document.source, line, std::max<std::int64_t>(1, static_cast<std::int64_t>(text.size()))});
  }
  return places;
}

/// Cells with blanks around them. Lines with quotes are left out, because a blank within quotes is intended.
Places cells_with_blanks(const LintTable& table) {
  Places places;
  for (const auto& row : table.document.rows) {
    if (row.raw.find_first_of(" \t") == std::string::npos || row.raw.find('"') != std::string::npos) continue;
    std::int64_t column = 1;
    for (const auto cell : split(std::string_view(row.raw), ',')) {
      if (trim(cell).size() != cell.size()) note(places, {table.document.source, row.line, column});
      column += static_cast<std::int64_t>(cell.size()) + 1;
    }
  }
  return places;
}

}  // namespace

Remarks crlf(const LintInput& input) {
  return one_a_file(input, "the line ends in CR and LF", [](const LintTable& table) {
    return lines_where(table, [](std::string_view line) { return line.ends_with('\r'); });
  });
}

Remarks blank_lines(const LintInput& input) {
  return one_a_file(input, "a blank line", [](const LintTable& table) {
    return lines_where(table, [](std::string_view line) { return trim(line).empty(); });
  });
}

Remarks blanks_around_cells(const LintInput& input) {
  return one_a_file(input, "blanks around a cell", cells_with_blanks);
}

Remarks no_final_newline(const LintInput& input) {
  return one_a_file(input, "the last line has no end", [](const LintTable& table) {
    const auto last_line = table.text.rfind('\n') == std::string::npos ? 0 : table.text.rfind('\n') + 1;
    const auto line = 1 + std::ranges::count(table.text, '\n');
    if (last_line == table.text.size()) return Places{};
    return Places{1, {table.document.source, line, static_cast<std::int64_t>(table.text.size() - last_line)}};
  });
}

Remarks tables_without_reader(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables)
    if (auto why = why_unread(table); !why.empty())
      remarks.push_back({{table.document.source, 1, 1}, why + ": nothing reads this file"});
  return remarks;
}

Remarks no_rows(const LintInput& input) {
  return one_a_file(input, "a header and no rows", [](const LintTable& table) {
    return table.document.rows.empty() ? Places{1, {table.document.source, 1, 1}} : Places{};
  });
}

}  // namespace gemmtune::lint_checks
