// The hosts of a fleet, as their owner lists them in a TOML file: one table for each host. What stands before the first
// table holds for all hosts that do not say it themselves.
//
//   arch = "gfx950"                     # only hosts with such GPUs are used
//   container = "rocm/pytorch:latest"
//
//   [node1]
//   address = "me@10.0.0.1"             # for ssh; default: the table's name. "local": this machine, without ssh
//   gpus = [0, 1, 2, 3]                 # default: all that are there
//   folder = "/mnt/scratch/gemmtune"    # default: .cache/gemmtune/work in the home folder
//
// Passwords and keys are ssh's own matter. What a probe finds on a host is in fleet/probe.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gemmtune {

struct Host {
  std::string name{};
  std::string address{};                             // "local": this machine, without ssh
  std::vector<std::string> devices{};                // as gemmtune names them: "cuda:0", "1", "cpu"; empty: all
  std::string arch{};                                // the only architecture that is wanted; empty: any
  std::string folder{".cache/gemmtune/work"};        // a relative one is in the home folder
  std::string program{};                             // installed there; empty: the one that is copied
  std::string container{};                           // an image; empty: none
  std::string container_engine{};                    // "docker", "podman", or empty: what is there
  std::string container_shm{"16g"};                  // the size of shared memory
  std::vector<std::string> ssh{"ssh"};               // the command, with options
  std::map<std::string, std::string> environment{};  // added to the host's own

  bool is_local() const { return address == "local"; }
  bool operator==(const Host&) const = default;
};

/// The hosts in the order of the file. Throws Error{input} with line and column for what is not as above, and for two
/// hosts that would work in the same folder of the same machine.
std::vector<Host> read_hosts(const std::filesystem::path& path);

}  // namespace gemmtune
