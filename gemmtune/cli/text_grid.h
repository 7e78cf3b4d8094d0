// Columns of text, aligned: for summaries on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

enum class Align { left, right };

/// Rows of cells, whose foreign text is made visible (core/visible.h). The first row is the heading and is underlined.
/// Columns beyond `alignment` are left-aligned. Widths count UTF-8 characters without the escape sequences of colours.
/// Lines do not end in blanks.
std::string text_grid(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& alignment);

/// How many columns of a terminal a line takes: characters of UTF-8, without the escape sequences of colours.
std::size_t shown_width(std::string_view line);

}  // namespace gemmtune
