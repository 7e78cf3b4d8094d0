// Containers of hosts: the exact command that a host would run, from the script that runs it there
// (fleet/scripts/container.sh).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/fleet/hosts.h"

namespace gemmtune {

/// The command as one line for sh, with a newline. `script` is the template; "": ours. The host is not asked: of what
/// it decides itself (its engine, its vendor) this machine's answer stands there, unless the host's owner named them.
/// The vendor follows from the architecture in the hosts file. Throws Error{input} if the script fails.
std::string container_command(const Host& host, const std::string& script, const std::vector<std::string>& arguments);

/// The names of variables, with blanks between them.
std::string names_of(const std::map<std::string, std::string>& variables);

/// "amd" for gfx950, "nvidia" for sm90, "" for anything else.
std::string vendor_of(const std::string& arch);

}  // namespace gemmtune
