#include "gemmtune/cli/text_grid.h"

#include <algorithm>

#include "gemmtune/cli/output.h"

namespace gemmtune {
namespace {

using Row = std::vector<std::string>;

/// The position after a colour's escape sequence ("\x1b[1m"), or the same position if there is none.
std::string_view::const_iterator behind_colour(std::string_view::const_iterator at, std::string_view text) {
  return *at == '\x1b' ? std::find(at, text.end(), 'm') : at;
}

std::vector<std::size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  }
  return widths;
}

std::string padded(const std::string& text, std::size_t to, Align align) {
  const std::string blanks(to - shown_width(text), ' ');
  return align == Align::left ? text + blanks : blanks + text;
}

Row underline(const std::vector<std::size_t>& widths) {
  Row row;
  for (const auto w : widths) row.emplace_back(w, '-');
  return row;
}

}  // namespace

/// Continuation bytes of UTF-8 and colours have no width.
std::size_t shown_width(std::string_view text) {
  std::size_t characters = 0;
  for (auto at = text.begin(); at != text.end(); ++at) {
    const auto behind = behind_colour(at, text);
    if (behind == text.end()) break;
    if (behind == at && (*at & 0xC0) != 0x80) ++characters;
    at = behind;
  }
  return characters;
}

std::string text_grid(const std::vector<Row>& given, const std::vector<Align>& alignment) {
  auto rows = given;
  for (auto& row : rows)
    for (auto& cell : row) cell = visible_cell(cell);
  const auto widths = column_widths(rows);
  std::string text;
  const auto add = [&](const Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], i < alignment.size() ? alignment[i] : Align::left);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  for (const auto& row : rows) {
    add(row);
    if (&row == &rows.front()) add(underline(widths));
  }
  return text;
}

}  // namespace gemmtune
