// Faults that harm the process which runs them, and noise on its standard streams.
#pragma once

#include <string_view>

namespace gemmtune::broken {

/// Does what the fault's name says when it is one of these, and does not return. Otherwise "", or why this fault will
/// not run here.
std::string_view harm_process(std::string_view fault);

/// Garbage, a broken message and a forged one: on file descriptor 1, past any buffer, as a library would.
void print_to_stdout();

void flood_stderr();

}  // namespace gemmtune::broken
