// A worker as users name it: in workers.toml, or by a command. How it is started for a device.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/worker/conversation.h"

namespace gemmtune {

struct NamedWorker {
  std::string name{};                                // for messages; for one that is given by a command, the command
  std::vector<std::string> command{};                // "{device}" stands for the device: cpu:0, cuda:1
  std::vector<std::string> families{};               // that it offers; empty: not known before it runs
  std::map<std::string, std::string> environment{};  // added to that of this process
  bool trusted{};  // its results are not audited, and it may win though it speaks version 1 of the protocol

  bool operator==(const NamedWorker&) const = default;
};

/// The workers of a file, in its order of names. A table for each:
///
///   [triton]
///   command = ["python3", "-m", "gemmtune_worker", "triton", "--device", "{device}"]
///   families = ["triton"]
///   environment = { PYTHONPATH = "{folder}/python" }
///
/// The command may also be one text, in which "{folder}" is the file's folder. Throws Error{input} with line and column
/// for what is not so.
std::vector<NamedWorker> read_worker_file(const std::filesystem::path& path);

/// How to start it for a device. A variable whose name ends in PATH is put before what this process has in it.
RemoteOptions start_options(const NamedWorker& worker, const std::string& device_id);

}  // namespace gemmtune
