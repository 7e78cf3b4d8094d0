// The way to one host: its agent (fleet/scripts/agent.sh) is placed there, and then asked. Every command line that ssh
// gets has plain words alone; everything that a user named travels in files.
//
// Not: what is asked when (fleet/attempt.h, fleet/prepare.h).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/core/subprocess.h"
#include "gemmtune/fleet/hosts.h"

namespace gemmtune {

/// What a host's agent needs to know of a run.
struct AgentSettings {
  std::string run{};                 // the run's id: a plain name
  std::string bundle{};              // its id
  std::string files{};               // the id of what the user ships; "": nothing
  std::int64_t limit_s{};            // for one job
  std::string container_template{};  // a script; empty: ours
  std::string run_folder{};          // where shards are, if it is not in the host's working folder
};

struct HostReply {
  int exit_code{};    // of the agent; 255: ssh could not reach the host, or lost it
  std::string why{};  // the last words on stderr, as one line
  bool timed_out{};   // it was given up
  std::vector<std::string> lines{};

  bool is_fine() const { return exit_code == 0 && !timed_out; }
  bool is_lost() const { return exit_code == 255 || timed_out; }

  /// The value of the first line "key=…"; "" if there is none.
  std::string value(std::string_view key) const;
  std::vector<std::string> values(std::string_view key) const;
};

/// settings.sh, which the agent reads.
std::string settings_script(const Host& host, const AgentSettings& settings);

class HostLink {
 public:
  HostLink(Host host, AgentSettings settings);

  /// Copies the agent and its settings. Everything else needs this once per run.
  HostReply place(Deadline deadline) const;

  /// Asks the agent. `on_line` is called for each line as it comes; once it returns false, the connection is ended, and
  /// what the agent started goes on.
  using OnLine = std::function<bool(const std::string&)>;
  HostReply ask(const std::vector<std::string>& words, Deadline deadline, const OnLine& on_line = {}) const;

  /// Asks with the contents of a folder as a tar archive on the agent's stdin. Links in it are followed.
  HostReply send(const std::filesystem::path& folder, const std::vector<std::string>& words, Deadline deadline) const;

  /// Asks, and unpacks the tar archive that the agent writes into a folder that exists.
  HostReply fetch(const std::vector<std::string>& words, const std::filesystem::path& folder, Deadline deadline) const;

  const Host& host() const { return host_; }

  /// The command that asks the agent, for people: "ssh … node1 'sh .cache/…/agent.sh probe'".
  std::vector<std::string> command(const std::vector<std::string>& words) const;

 private:
  std::vector<std::string> reach(const std::string& remote) const;
  std::string control_folder() const;

  Host host_;
  AgentSettings settings_;
};

}  // namespace gemmtune
