#include "gemmtune/cli/fleet/fleet_start.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_cache.h"
#include "gemmtune/fleet/shard_inputs.h"
#include "gemmtune/fleet/shell_words.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/shapes/tuning_cost.h"
#include "gemmtune/trials/writer_lock.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto head_patience = std::chrono::seconds(3);

std::string identity_of(const FleetWork& work) {
  auto hash = hash64(work.what, hash64(shell_line(work.arguments)));
  for (const auto& file : work.files) hash = hash64(read_file(file), hash);
  return fmt::format("{:016x}", hash);
}

std::string new_run_id(const FleetWork& work) {
  const auto seed = fmt::format("{} {} {} {}", host_name(), fs::absolute(work.folder).string(), utc_now(), ::getpid());
  return fmt::format("{:016x}", hash64(seed));
}

/// Neither a quick nor a slow one.
Shape middle_shape(std::vector<Shape> shapes) {
  const auto middle = shapes.begin() + static_cast<std::ptrdiff_t>(shapes.size() / 2);
  std::ranges::nth_element(shapes, middle, {}, [](const Shape& shape) { return rough_time_us(shape.problem); });
  return *middle;
}

/// What is known of the devices, under their numbers of now. Those that were set aside begin anew.
void take_over_devices(const RunFolder& folder, const FleetPlan& earlier, const FleetPlan& plan) {
  std::map<std::string, SlotState> known;
  std::error_code error;
  for (std::size_t i = 0; i < earlier.slots.size(); ++i) {
    auto state = read_slot(folder.slot(i));
    fs::remove(folder.slot(i), error);
    if (!state.set_aside.empty()) continue;
    state.failures_in_row = 0;
    state.now.clear();
    known.emplace(earlier.name_of(earlier.slots[i]), std::move(state));
  }
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    if (const auto state = known.find(plan.name_of(plan.slots[i])); state != known.end())
      write_slot(folder.slot(i), state->second);
}

void take_shard(const fs::path& shard, FleetTaker& taker) {
  const auto log = read_attempts(shard / "attempts.json");
  if (log.state == ShardState::done) taker.take_trials(shard / "back" / "trials.db");
  for (const auto& entry : log.tries)
    if (!entry.store.empty()) taker.take_trials(shard / entry.store);
}

}  // namespace

std::unique_ptr<FileLock> only_head(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  try {
    return std::make_unique<FileLock>(folder / "head.lock", head_patience);
  } catch (const Error& why) {
    fail(ErrorCode::io, "another process runs this already: {}", why.what());
  }
}

fs::path links_folder(const RunFolder& folder) {
  const auto kernels = default_kernel_cache();
  const auto links = (kernels.filename() == "kernels" ? kernels.parent_path() : kernels) / "bundles";
  std::error_code error;
  fs::create_directories(links, error);
  return ::access(links.c_str(), W_OK | X_OK) == 0 ? links : folder.bundles();
}

FleetPlan settings_of(const FleetFlags& flags, const FleetWork& work) {
  FleetPlan plan{
      .run = new_run_id(work),
      .identity = identity_of(work),
      .container_template = container_template_of(flags),
      .arguments = work.arguments,
      .store = work.store.empty() ? std::string() : fs::absolute(work.store).string(),
      .tries = flags.tries,
      .limit_s = static_cast<std::int64_t>(duration_of("--shard_limit", flags.shard_limit)),
      .lost_s = duration_of("--lost_after", flags.lost_after),
      .calibration = CalibrationRule{.far_share = flags.calibration_pct / 100,
                                     .interval_s = duration_of("--calibration_interval", flags.calibration_interval)}};
  if (flags.calibration_pct > 0) plan.calibration_arguments = work.calibration_arguments;
  if (work.budget_s) plan.deadline_s = seconds_now() + *work.budget_s;
  return plan;
}

bool begin_plan(const RunFolder& folder, FleetPlan& plan, const NewShards& asked) {
  if (asked.shapes.empty()) return false;
  const auto shards = make_shards(asked.shapes, asked.devices, duration_of("--shard_time", asked.flags.shard_time));
  plan.shards = static_cast<std::int64_t>(shards.size());
  plan.shapes = static_cast<std::int64_t>(asked.shapes.size());
  write_file_atomically(folder.calibration(), shape_list_text({middle_shape(asked.shapes)}));
  keep_files(folder, asked.files);
  folder.begin(plan, shards);
  spdlog::info("{} shapes in {} shards", plan.shapes, plan.shards);
  return true;
}

void take_over_shards(const RunFolder& folder, FleetPlan& plan) {
  const auto earlier = read_plan(folder.plan());
  plan.shards = earlier.shards;
  plan.shapes = earlier.shapes;
  take_over_devices(folder, earlier, plan);
  write_plan(folder.plan(), plan);
  spdlog::info("going on with the run in {}: {} of {} shards are left", folder.path().string(),
               folder.unfinished(plan).size(), plan.shards);
}

std::optional<FleetPlan> earlier_plan(const RunFolder& folder, const std::string& identity) {
  std::error_code error;
  if (!fs::exists(folder.plan(), error)) return std::nullopt;
  try {
    auto plan = read_plan(folder.plan());
    if (plan.identity != identity && !folder.unfinished(plan).empty()) return plan;
  } catch (const Error& why) {
    spdlog::debug("{}", why.what());
  }
  return std::nullopt;
}

void move_aside_earlier(const RunFolder& folder) {
  std::error_code error;
  const auto earlier = folder.path() / "earlier";
  fs::remove(folder.plan(), error);
  make_empty_folder(earlier);
  fs::rename(folder.path() / "shards", earlier / "shards", error);
}

void take_earlier(const RunFolder& folder, FleetTaker& taker) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path() / "earlier" / "shards", error))
    take_shard(entry.path(), taker);
  fs::remove_all(folder.path() / "earlier", error);
}

void take_parts_of(const RunFolder& folder, const std::vector<std::int64_t>& shards, FleetTaker& taker) {
  for (const auto shard : shards)
    for (const auto& entry : read_attempts(folder.attempts_of(shard)).tries)
      if (!entry.store.empty()) taker.take_part((folder.shard(shard) / entry.store).parent_path());
}

}  // namespace gemmtune
