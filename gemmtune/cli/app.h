// The whole command line: finds the subcommand, runs it, and turns errors into messages and exit codes. Exit codes: 0
// done; 1 ran, and some of it failed; 2 usage; 3 input; 4 no device; 5 the system or a bug; 128 + n: ended by signal
// n.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/cli/command.h"

namespace gemmtune {

/// The parser with every subcommand. `commands` must outlive it.
std::unique_ptr<CLI::App> make_app(const std::vector<NamedCommand>& commands);

/// `arguments` are those of main(). Never throws.
int run_app(const std::vector<std::string>& arguments) noexcept;

}  // namespace gemmtune
