// What to say of a command line that cannot be read.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace gemmtune {

/// What is wrong, in the words that were typed, what may have been meant, and which help page says more. `arguments`
/// begin with the program's name.
std::string about_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace gemmtune
