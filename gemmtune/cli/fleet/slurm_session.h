// The same as cli/fleet/fleet_session.h where Slurm decides which node runs which shard: an array of tasks, all of the
// same script as on hosts of ssh. The run's folder has to be on a file system that the nodes share.
#pragma once

#include "gemmtune/cli/fleet/fleet_session.h"

namespace gemmtune {

FleetResult run_slurm_session(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker);

}  // namespace gemmtune
