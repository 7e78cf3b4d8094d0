#include "gemmtune/fleet/run_folder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/shapes/split_list.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t shards_per_device = 8;

}  // namespace

void make_empty_folder(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  fs::create_directories(path, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", path.string(), error.message());
}

void RunFolder::begin(const FleetPlan& plan, const std::vector<std::vector<Shape>>& shards) const {
  for (const auto* part : {"shards", "slots", "finished"}) make_empty_folder(path_ / part);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    make_empty_folder(shard(number));
    write_file_atomically(shapes_of(number), shape_list_text(shards[i]));
  }
  write_plan(this->plan(), plan);  // last: without it there is no run
}

bool RunFolder::has_unfinished(const std::string& identity) const {
  std::error_code error;
  if (!fs::exists(plan(), error)) return false;
  try {
    const auto known = read_plan(plan());
    return known.identity == identity && !unfinished(known).empty();
  } catch (const Error&) {  // of another version
    return false;
  }
}

std::set<std::int64_t> RunFolder::finished() const {
  std::set<std::int64_t> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ / "finished", error))
    if (const auto number = parse_int(entry.path().filename().string())) all.insert(*number);
  return all;
}

std::vector<std::int64_t> RunFolder::unfinished(const FleetPlan& plan) const {
  const auto done = finished();
  std::vector<std::int64_t> left;
  for (std::int64_t shard = 0; shard < plan.shards; ++shard)
    if (!done.contains(shard)) left.push_back(shard);
  return left;
}

void RunFolder::note_finished(std::int64_t shard) const {
  write_file_atomically(path_ / "finished" / std::to_string(shard), "");
}

void RunFolder::doubt(std::int64_t shard) const {
  auto log = read_attempts(attempts_of(shard));
  log.state = ShardState::pending;
  log.is_fresh = true;
  for (auto& entry : log.tries) entry.store.clear();
  std::error_code error;
  fs::remove(path_ / "finished" / std::to_string(shard), error);
  fs::remove_all(back_of(shard), error);
  write_attempts(attempts_of(shard), log);
}

bool RunFolder::is_stopping() const {
  std::error_code error;
  return fs::exists(path_ / "stop", error);
}

void RunFolder::ask_to_stop() const { write_file_atomically(path_ / "stop", ""); }

void RunFolder::forget_stop() const {
  std::error_code error;
  fs::remove(path_ / "stop", error);
}

std::vector<std::vector<Shape>> make_shards(const std::vector<Shape>& shapes, std::size_t devices, double target_s) {
  if (shapes.empty()) return {};
  std::vector<double> costs;
  for (const auto& shape : shapes) costs.push_back(rough_tuning_seconds(shape.problem));
  const auto total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const auto by_time = static_cast<std::size_t>(std::ceil(total / target_s));
  const auto count = std::min(shapes.size(), std::max({by_time, shards_per_device * devices, std::size_t{1}}));
  const auto part_of = balanced_parts(costs, count);
  std::vector<std::vector<Shape>> shards(count);
  for (std::size_t i = 0; i < shapes.size(); ++i) shards[part_of[i]].push_back(shapes[i]);
  return shards;
}

}  // namespace gemmtune
