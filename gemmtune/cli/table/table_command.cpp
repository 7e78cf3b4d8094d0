#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/table/table_commands.h"

namespace gemmtune {

std::unique_ptr<Command> make_table_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"merge", make_table_merge_command()});
  commands.push_back({"dedupe", make_table_dedupe_command()});
  commands.push_back({"diff", make_table_diff_command()});
  commands.push_back({"filter", make_table_filter_command()});
  commands.push_back({"convert", make_table_convert_command()});
  commands.push_back({"stats", make_table_stats_command()});
  commands.push_back({"coverage", make_table_coverage_command()});
  commands.push_back({"lint", make_table_lint_command()});
  commands.push_back({"triton", make_table_triton_command()});
  commands.push_back({"import", make_table_import_command()});
  commands.push_back({"export", make_table_export_command()});
  return make_command_group("table", std::move(commands));
}

}  // namespace gemmtune
