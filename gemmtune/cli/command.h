// A subcommand of gemmtune: declares its options, then runs. One file each; cli/app.cpp lists them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/cli/options.h"

namespace gemmtune {

class Command {
 public:
  virtual ~Command() = default;

  /// Declares the options and the variables that they set. Called once, before run().
  virtual void declare(Options& options) = 0;

  /// Returns the process's exit code. Throws Error if something ends the work.
  virtual int run() = 0;
};

struct NamedCommand {
  std::string name{};
  std::unique_ptr<Command> command{};
};

std::unique_ptr<Command> make_analyze_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_bench_roofline_command();
std::unique_ptr<Command> make_cache_command();
std::unique_ptr<Command> make_compat_command();
std::unique_ptr<Command> make_devices_command();
std::unique_ptr<Command> make_diagnose_command();
std::unique_ptr<Command> make_quarantine_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_evaluate_command();
std::unique_ptr<Command> make_families_command();
std::unique_ptr<Command> make_hosts_command();
std::unique_ptr<Command> make_lookup_command();
std::unique_ptr<Command> make_problem_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_shapes_command();
std::unique_ptr<Command> make_status_command();
std::unique_ptr<Command> make_store_command();
std::unique_ptr<Command> make_stress_command();
std::unique_ptr<Command> make_table_command();
std::unique_ptr<Command> make_tune_command();
std::unique_ptr<Command> make_worker_check_command();
std::unique_ptr<Command> make_worker_command();

/// All commands, in the order in which help lists them.
std::vector<NamedCommand> all_commands();

}  // namespace gemmtune
