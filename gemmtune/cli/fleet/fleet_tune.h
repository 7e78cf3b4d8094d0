// `gemmtune tune --hosts FILE` and `--slurm`: the same inputs and outputs as on one machine.
#pragma once

#include "gemmtune/cli/tune/tune_options.h"

namespace gemmtune {

/// Returns the exit code of the command. `command_line` is for the record of the run.
int tune_on_fleet(const TuneFlags& flags, const std::string& command_line);

}  // namespace gemmtune
