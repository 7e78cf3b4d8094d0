// The page's fixed parts, written into the program by CMake: page/* and the chart library of the distribution.
#pragma once

#include <string_view>

namespace gemmtune {

std::string_view page_html();  // with {{name}} where the other parts go
std::string_view page_style();
std::string_view page_script();
std::string_view chart_library();  // "" if there was none at build time

}  // namespace gemmtune
