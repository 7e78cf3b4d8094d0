// A command that only contains other commands: `gemmtune table merge`. Each of them has a help page, <group>-<name>.
#pragma once

#include "gemmtune/cli/command.h"

namespace gemmtune {

std::unique_ptr<Command> make_command_group(std::string name, std::vector<NamedCommand> commands);

}  // namespace gemmtune
