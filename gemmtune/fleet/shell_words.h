// Words for scripts of sh. They are written into files that sh reads; nothing of them stands in the command line of
// ssh, which every login shell reads in its own way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The text as one word for sh: 'it'\''s'.
std::string shell_word(std::string_view text);

/// A command line that can be pasted into sh: words without special characters stay as they are.
std::string shell_line(const std::vector<std::string>& words);

/// A script that sets the positional parameters to these words.
std::string arguments_script(const std::vector<std::string>& words);

/// Whether a name has only letters, digits, dots, dashes and underscores, and does not begin with a dash or a dot: it
/// is the same word in every shell.
bool is_plain_name(std::string_view name);

/// Whether a name is one of an environment variable.
bool is_variable_name(std::string_view name);

}  // namespace gemmtune
