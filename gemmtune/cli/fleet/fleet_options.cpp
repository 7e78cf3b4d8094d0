#include "gemmtune/cli/fleet/fleet_options.h"

#include "gemmtune/cli/duration.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {

void declare_fleet_flags(Options& options, FleetFlags& flags) {
  const auto hosts = options.add_option("--hosts", flags.hosts);
  options.add_flag("--slurm", flags.slurm).excludes(hosts);
  options.add_option("--partition", flags.partition);
  options.add_option("--slurm_option,--slurm-option", flags.slurm_options).one_value_each();
  options.add_option("--container", flags.container);
  options.add_option("--container_template,--container-template", flags.container_template);
  options.add_option("--ship", flags.shipped).one_value_each();
  options.add_flag("--dry_run,--dry-run", flags.dry_run);
  options.add_option("--shard_time,--shard-time", flags.shard_time);
  options.add_option("--shard_limit,--shard-limit", flags.shard_limit);
  options.add_option("--lost_after,--lost-after", flags.lost_after);
  options.add_option("--calibration_interval,--calibration-interval", flags.calibration_interval);
  options.add_option("--calibration_pct,--calibration-pct", flags.calibration_pct).not_negative();
  options.add_option("--tries", flags.tries).positive();
}

std::vector<Host> chosen_hosts(const FleetFlags& flags) {
  auto hosts = read_hosts(flags.hosts);
  for (auto& host : hosts)
    if (!flags.container.empty()) host.container = flags.container;
  return hosts;
}

double duration_of(const std::string& option, const std::string& text) {
  if (const auto seconds = parse_duration(text)) return *seconds;
  fail(ErrorCode::usage, "{}: found '{}', expected a duration, as 90s, 10m or 1h30m", option, text);
}

std::string container_template_of(const FleetFlags& flags) {
  return flags.container_template.empty() ? std::string() : read_file(flags.container_template);
}

void insist_on_sound(const FleetFlags& flags) {
  if (flags.is_used()) return;
  const bool names_something = !flags.container.empty() || !flags.container_template.empty() ||
                               !flags.shipped.empty() || !flags.partition.empty() || !flags.slurm_options.empty() ||
                               flags.dry_run;
  if (names_something)
    fail(ErrorCode::usage,
         "--container, --container_template, --ship, --partition, --slurm_option and --dry_run need --hosts FILE or "
         "--slurm");
}

}  // namespace gemmtune
