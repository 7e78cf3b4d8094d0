// Faults that harm the process which runs them, and noise on its standard streams.
#pragma once

#include <string_view>

namespace gemmtune::broken {

/// If `fault` is one of these, does what its name says and does not return. Else returns "", or the reason why this
/// fault will not run here.
std::string_view harm_process(std::string_view fault);

/// Writes garbage, a broken message and a forged message to file descriptor 1, past any buffer, as a library would.
void print_to_stdout();

void flood_stderr();

}  // namespace gemmtune::broken
