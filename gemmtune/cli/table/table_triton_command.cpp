#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/table/table_commands.h"

namespace gemmtune {

std::unique_ptr<Command> make_table_triton_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"resolve", make_table_triton_resolve_command()});
  commands.push_back({"to-json", make_table_triton_to_json_command()});
  commands.push_back({"from-json", make_table_triton_from_json_command()});
  return make_command_group("table-triton", std::move(commands));
}

}  // namespace gemmtune
