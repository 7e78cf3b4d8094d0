// The text that --help shows: docs/cli/<command>.md, embedded by CMake, so that help and documentation are one.
#pragma once

#include <string_view>

namespace gemmtune {

/// "gemmtune" is the whole program's. Throws Error{internal} for a command without a page.
std::string_view help_text(std::string_view command);

}  // namespace gemmtune
