// `gemmtune status --hosts FILE` and `--slurm JOB`: what runs on other machines.
#pragma once

#include <string>

namespace gemmtune {

/// Returns the exit code of the command: 1 if a host is not reachable.
int show_status_of_hosts(const std::string& hosts_file);

/// Throws Error{input} if Slurm does not know the job, or if it is none of gemmtune's.
int show_status_of_slurm(const std::string& job, std::size_t lines);

}  // namespace gemmtune
