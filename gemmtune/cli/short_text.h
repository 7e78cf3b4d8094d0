// Text that fits a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// "103.6 us", "12.04 ms", "1.25 s": four digits in the unit that suits. `time_us` is not negative.
std::string human_time(double time_us);

/// The same text if it has at most `width` characters (ASCII); else its beginning and its end with "…" between them.
/// Kernels' names differ at both ends. At least 3 characters are left.
std::string cut_in_the_middle(std::string_view text, std::size_t width);

/// Lines of text, broken between words so that none has more than `width` characters (ASCII) unless one word has. What
/// goes on in a further line is indented by two. 0: nothing is broken.
std::string wrapped(std::string_view lines, std::size_t width);

/// How many characters a line of stdout may have: the terminal's width, or what COLUMNS says where there is none. 0: as
/// many as there are.
std::size_t stdout_width();

}  // namespace gemmtune
