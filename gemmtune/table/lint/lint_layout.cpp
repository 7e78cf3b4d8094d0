// The layout of a file, regardless of what it states. There is one remark for each file, because a user does not read
// 400 of the same kind.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gemmtune/core/text.h"
#include "gemmtune/table/lint/lint_checks.h"

namespace gemmtune::lint_checks {
namespace {

struct Places {
  std::int64_t count{};
  Place first{};
};

void note(Places& places, const Place& place) {
  if (places.count++ == 0) places.first = place;
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

Remarks no_rows(const LintInput& input) {
  return one_a_file(input, "a header and no rows", [](const LintTable& table) {
    return table.document.rows.empty() ? Places{1, {table.document.source, 1, 1}} : Places{};
  });
}

}  // namespace gemmtune::lint_checks
