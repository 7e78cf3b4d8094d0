// The scripts that run on hosts, as texts: gemmtune/fleet/scripts. They travel as files.
#pragma once

#include <string_view>

namespace gemmtune {

std::string_view agent_script();
std::string_view container_script();
std::string_view slurm_script();

}  // namespace gemmtune
