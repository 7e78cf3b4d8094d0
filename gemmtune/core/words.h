// A command line as one text, as users write it in quotes: './worker --name "my worker"'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The words of a command, as a shell would separate them: by blanks, except in '…' and "…"; a backslash stands before
/// a character that is meant as it is, but not in '…'. Nothing is expanded. Throws Error{usage} for a quote that does
/// not end.
std::vector<std::string> command_words(std::string_view text);

}  // namespace gemmtune
