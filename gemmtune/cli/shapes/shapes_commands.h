// The commands below `gemmtune shapes`.
#pragma once

#include <memory>

#include "gemmtune/cli/command.h"

namespace gemmtune {

std::unique_ptr<Command> make_shapes_from_capture_command();
std::unique_ptr<Command> make_shapes_from_log_command();
std::unique_ptr<Command> make_shapes_from_model_command();
std::unique_ptr<Command> make_shapes_split_command();
std::unique_ptr<Command> make_shapes_stats_command();

}  // namespace gemmtune
