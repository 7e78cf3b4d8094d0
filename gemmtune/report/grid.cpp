#include "gemmtune/report/grid.h"

namespace gemmtune {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string cell_text(const GridCell& cell) {
  const auto text = escaped(cell.text);
  return cell.strong ? "**" + text + "**" : text;
}

}  // namespace

std::string markdown_text(const Grid& grid) {
  std::string text = "|";
  for (const auto& column : grid.columns) text += ' ' + escaped(column.name) + " |";
  text += "\n|";
  for (const auto& column : grid.columns) text += column.numeric ? "--:|" : ":--|";
  text += '\n';
  for (const auto& row : grid.rows) {
    text += '|';
    for (const auto& cell : row) text += ' ' + cell_text(cell) + " |";
    text += '\n';
  }
  return text;
}

}  // namespace gemmtune
