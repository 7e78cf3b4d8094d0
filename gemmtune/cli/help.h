// The text that --help shows: docs/cli/<command>.md, embedded by CMake, so that help and documentation are the same.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace gemmtune {

/// "gemmtune" is the page of the whole program. Throws Error{internal} for a command without a page.
std::string_view help_text(std::string_view command);

/// Makes this page the text that the command prints for --help.
void show_help_page(CLI::App& app, const std::string& command);

}  // namespace gemmtune
