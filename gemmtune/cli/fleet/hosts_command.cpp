// `gemmtune hosts`: what the hosts of a fleet are like, and what runs on them.
#include <algorithm>

#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/fleet/fleet_options.h"
#include "gemmtune/cli/fleet/fleet_start.h"
#include "gemmtune/cli/fleet/fleet_text.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/log.h"
#include "gemmtune/fleet/attempt.h"
#include "gemmtune/fleet/prepare.h"
#include "gemmtune/fleet/temporary_folder.h"

namespace gemmtune {
namespace {

/// What xargs takes as the wish to start nothing more. GNU parallel gives it no meaning.
constexpr int start_no_more = 255;

class HostsCheckCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("hosts", hosts_).required();
    options.add_option("--container", flags_.container);
    options.add_option("--container_template,--container-template", flags_.container_template);
  }

  int run() override {
    flags_.hosts = hosts_;
    const auto hosts = chosen_hosts(flags_);
    const TemporaryFolder folder;
    const auto bundle = program_bundle(links_folder(RunFolder(folder.path)));
    const AgentSettings settings{
        .run = "check", .bundle = bundle.id, .container_template = container_template_of(flags_)};
    const auto probes = probe_hosts(hosts, settings, {.bundle = bundle, .version = "gemmtune " GEMMTUNE_VERSION});
    print_text("{}", hosts_text(probes));
    return std::ranges::all_of(probes, &HostProbe::is_usable) ? 0 : 1;
  }

 private:
  std::string hosts_;
  FleetFlags flags_;
};

class HostsAttemptCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("run", folder_).required();
    options.add_option("shard", shard_).required();
    options.add_option("seat", seat_);
    options.add_option("--head", head_).required();
  }

  int run() override {
    start_logging(Verbosity::quiet);
    const auto seat = seat_ ? *seat_ - 1 : shard_;
    const auto end = attempt_shard({.folder = folder_,
                                    .shard = shard_,
                                    .seat = static_cast<std::size_t>(std::max<std::int64_t>(seat, 0)),
                                    .head = static_cast<pid_t>(head_)});
    if (end == AttemptEnd::stopped) return start_no_more;
    return end == AttemptEnd::done ? 0 : 1;
  }

 private:
  std::string folder_;
  std::int64_t shard_{};
  std::optional<std::int64_t> seat_{};
  std::int64_t head_{};
};

}  // namespace

std::unique_ptr<Command> make_hosts_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"check", std::make_unique<HostsCheckCommand>()});
  commands.push_back({"attempt", std::make_unique<HostsAttemptCommand>()});
  return make_command_group("hosts", std::move(commands));
}

}  // namespace gemmtune
