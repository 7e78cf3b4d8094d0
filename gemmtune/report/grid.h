// A table for people, before it is drawn on a terminal or written as Markdown.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

struct GridCell {
  std::string text{};
  bool strong{};  // shown bold
};

struct GridColumn {
  std::string name{};
  bool numeric{};  // aligned to the right
};

struct Grid {
  std::vector<GridColumn> columns{};
  std::vector<std::vector<GridCell>> rows{};
};

/// A Markdown table as GitHub reads it. Bars in cells are escaped.
std::string markdown_text(const Grid& grid);

}  // namespace gemmtune
