// The workers that this program can start by the names of their families: those of the user's workers.toml, and those
// that come with the program.
#pragma once

#include <vector>

#include "gemmtune/worker/named_worker.h"

namespace gemmtune {

/// The user's file is $XDG_CONFIG_HOME/gemmtune/workers.toml (~/.config by default), the other one is beside the
/// program: ../share/gemmtune/workers/workers.toml. Of two workers with one name or one family, the user's counts.
/// Throws Error{input} for a file that cannot be understood.
std::vector<NamedWorker> named_workers();

}  // namespace gemmtune
