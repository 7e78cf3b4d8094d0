#include "gemmtune/fleet/shard_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/fleet/bundle.h"
#include "gemmtune/fleet/shell_words.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr const char* inputs = "inputs";

std::set<Problem> problems_of(const fs::path& list) {
  std::set<Problem> problems;
  for (const auto& shape : read_shapes(list, {}).shapes) problems.insert(shape.problem);
  return problems;
}

std::vector<fs::path> known_stores(const RunFolder& run, const FleetPlan& plan, std::int64_t shard) {
  const auto log = read_attempts(run.attempts_of(shard));
  std::vector<fs::path> stores;
  if (!plan.store.empty() && !log.is_fresh) stores.emplace_back(plan.store);
  for (const auto& entry : log.tries)
    if (!entry.store.empty()) stores.push_back(run.shard(shard) / entry.store);
  std::erase_if(stores, [](const fs::path& path) {
    std::error_code error;
    return !fs::exists(path, error);
  });
  return stores;
}

/// What is left of the budget. A host that is asked for nothing would take all the time it wants.
std::vector<std::string> arguments_for(const FleetPlan& plan, std::vector<std::string> arguments,
                                       const std::string& device) {
  if (!device.empty()) arguments.insert(arguments.end(), {"--device", device});
  if (plan.deadline_s > 0) {
    const auto left = std::max(1.0, std::ceil(plan.deadline_s - seconds_now()));
    arguments.insert(arguments.end(), {"--budget", std::to_string(static_cast<std::int64_t>(left)) + "s"});
  }
  return arguments;
}

void add_known_trials(const RunFolder& run, const FleetPlan& plan, std::int64_t shard, const fs::path& folder) {
  const auto known = known_stores(run, plan, shard);
  if (known.empty()) return;
  auto store = TrialStore::open(folder / "trials.db");
  const auto problems = problems_of(run.shapes_of(shard));
  for (const auto& path : known) store.absorb(path, problems);
}

/// A host that gets only a part, because the head is killed meanwhile, begins nothing.
void seal(const fs::path& folder, const std::string& device) {
  if (!device.empty()) write_file_atomically(folder / "device", device + '\n');
  write_manifest(folder);
}

void copy_text(const fs::path& from, const fs::path& to) { write_file_atomically(to, read_file(from)); }

void copy_files(const RunFolder& run, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(run.path() / inputs, error)) return;
  fs::copy(run.path() / inputs, folder / inputs, fs::copy_options::recursive, error);
  if (error) fail(ErrorCode::io, "cannot copy {}: {}", (run.path() / inputs).string(), error.message());
}

}  // namespace

std::string name_on_host(std::size_t i, const fs::path& file) {
  return fmt::format("{}/{}/{}", inputs, i, file.filename().string());
}

void keep_files(const RunFolder& run, const std::vector<std::string>& files) {
  make_empty_folder(run.path() / inputs);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto kept = run.path() / name_on_host(i, files[i]);
    make_empty_folder(kept.parent_path());
    copy_text(files[i], kept);
  }
}

void make_shard_inputs(const RunFolder& run, const FleetPlan& plan, std::int64_t shard, const std::string& device,
                       const fs::path& folder) {
  make_empty_folder(folder);
  copy_text(run.shapes_of(shard), folder / "shapes.csv");
  write_file_atomically(folder / "arguments.sh", arguments_script(arguments_for(plan, plan.arguments, device)));
  copy_files(run, folder);
  add_known_trials(run, plan, shard, folder);
  seal(folder, device);
}

void make_calibration_inputs(const RunFolder& run, const FleetPlan& plan, const std::string& device,
                             const fs::path& folder) {
  make_empty_folder(folder);
  copy_text(run.calibration(), folder / "shapes.csv");
  auto arguments = plan.calibration_arguments;
  if (!device.empty()) arguments.insert(arguments.end(), {"--device", device});
  write_file_atomically(folder / "arguments.sh", arguments_script(arguments));
  seal(folder, device);
}

}  // namespace gemmtune
