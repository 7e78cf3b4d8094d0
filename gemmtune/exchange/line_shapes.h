// Makes a shape list of a text with one call a line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// The problem of a line without its end; nothing if the line says no call. Throws Error{input} for a call that has no
/// problem: such lines are rejected.
using ProblemOfLine = std::function<std::optional<Problem>(std::string_view line)>;

/// Each problem once, in the order of their first lines; weight: how many lines have it.
ShapeList shapes_of_lines(std::string_view text, const std::string& source, const ProblemOfLine& problem_of);

}  // namespace gemmtune
