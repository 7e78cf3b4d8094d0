// How a run over many machines begins, whoever starts its shards: ssh or Slurm.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/cli/fleet/fleet_session.h"
#include "gemmtune/core/file_lock.h"
#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {

/// Makes the folder. Throws Error{io} if another process runs the run.
std::unique_ptr<FileLock> only_head(const std::filesystem::path& folder);

/// Where links to the program's files are kept (fleet/bundle.h): in the user's cache folder, or where nobody may write
/// there, in the run's folder.
std::filesystem::path links_folder(const RunFolder& folder);

/// The plan without hosts, devices and shards.
FleetPlan settings_of(const FleetFlags& flags, const FleetWork& work);

struct NewShards {
  const std::vector<Shape>& shapes;
  std::size_t devices{};
  const FleetFlags& flags;
  const std::vector<std::string>& files;  // that are sent along
};

/// Cuts the shapes into shards and writes the plan. False if there are no shapes.
bool begin_plan(const RunFolder& folder, FleetPlan& plan, const NewShards& shards);

/// The shards of the earlier run, on the hosts as they are now.
void take_over_shards(const RunFolder& folder, FleetPlan& plan);

/// The plan in the folder if it is of another run, which was not done. What still runs of it has to be stopped.
std::optional<FleetPlan> earlier_plan(const RunFolder& folder, const std::string& identity);

/// Moves aside what that run left.
void move_aside_earlier(const RunFolder& folder);

/// Hands over what it has measured.
void take_earlier(const RunFolder& folder, FleetTaker& taker);

/// Hands over what was finished and measured of these shards before they failed or were stopped.
void take_parts_of(const RunFolder& folder, const std::vector<std::int64_t>& shards, FleetTaker& taker);

}  // namespace gemmtune
