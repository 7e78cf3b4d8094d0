// A command that is only a roof over others: `gemmtune table merge`. Each of them has a page of its own,
// <group>-<name>.
#pragma once

#include "gemmtune/cli/command.h"

namespace gemmtune {

std::unique_ptr<Command> make_command_group(std::string name, std::vector<NamedCommand> commands);

}  // namespace gemmtune
