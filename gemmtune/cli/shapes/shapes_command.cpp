#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/shapes/shapes_commands.h"

namespace gemmtune {

std::unique_ptr<Command> make_shapes_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"from-model", make_shapes_from_model_command()});
  commands.push_back({"from-capture", make_shapes_from_capture_command()});
  commands.push_back({"from-log", make_shapes_from_log_command()});
  commands.push_back({"split", make_shapes_split_command()});
  commands.push_back({"stats", make_shapes_stats_command()});
  return make_command_group("shapes", std::move(commands));
}

}  // namespace gemmtune
