// The commands under `gemmtune table`; cli/table/table_command.cpp lists them.
#pragma once

#include <memory>

#include "gemmtune/cli/command.h"

namespace gemmtune {

std::unique_ptr<Command> make_table_convert_command();
std::unique_ptr<Command> make_table_dedupe_command();
std::unique_ptr<Command> make_table_diff_command();
std::unique_ptr<Command> make_table_export_command();
std::unique_ptr<Command> make_table_filter_command();
std::unique_ptr<Command> make_table_import_command();
std::unique_ptr<Command> make_table_merge_command();
std::unique_ptr<Command> make_table_coverage_command();
std::unique_ptr<Command> make_table_lint_command();
std::unique_ptr<Command> make_table_stats_command();
std::unique_ptr<Command> make_table_triton_command();
std::unique_ptr<Command> make_table_triton_from_json_command();
std::unique_ptr<Command> make_table_triton_resolve_command();
std::unique_ptr<Command> make_table_triton_to_json_command();

}  // namespace gemmtune
