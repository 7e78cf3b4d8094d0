#include "gemmtune/fleet/run_folder.h"

#include <algorithm>
#include <functional>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

/// A shard has this share of a device's share of what is left: the first ones are large, so that little is lost by
/// starting; the last ones are small, so that all devices end at about the same time.
constexpr double pieces_of_what_is_left = 2;
constexpr double smallest_share = 8;  // of the first shard

struct Costed {
  Shape shape{};
  double seconds{};
};

std::vector<Costed> by_falling_cost(const std::vector<Shape>& shapes) {
  std::vector<Costed> all;
  for (const auto& shape : shapes) all.push_back({shape, rough_tuning_seconds(shape.problem)});
  std::ranges::stable_sort(all, std::greater<>(), &Costed::seconds);
  return all;
}

}  // namespace

void make_empty_folder(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  fs::create_directories(path, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", path.string(), error.message());
}

void RunFolder::begin(const FleetPlan& plan, const std::vector<std::vector<Shape>>& shards) const {
  std::error_code error;
  fs::remove(this->plan(), error);
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
    if (known.identity != identity) return false;
    mend(known);
    return !unfinished(known).empty();
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

fs::path RunFolder::taken_without_a_word(std::int64_t shard, const AttemptLog& log) const {
  if (log.state != ShardState::pending) return {};
  std::error_code error;
  if (fs::exists(back_of(shard) / "shapes.csv", error)) return back_of(shard);
  const auto next = try_of(shard, log.tries.size() + 1);
  return fs::exists(next, error) ? next : fs::path();
}

void RunFolder::mend(const FleetPlan& plan) const {
  const auto done = finished();
  for (std::int64_t shard = 0; shard < plan.shards; ++shard) {
    const bool is_pending = read_attempts(attempts_of(shard)).state == ShardState::pending;
    if (is_pending && done.contains(shard)) forget_results(shard);
    if (!is_pending && !done.contains(shard)) note_finished(shard);
  }
}

/// In this order: as long as the shard is marked as finished, what is in `back` is not taken up again.
void RunFolder::forget_results(std::int64_t shard) const {
  std::error_code error;
  fs::remove_all(back_of(shard), error);
  fs::remove(path_ / "finished" / std::to_string(shard), error);
}

void RunFolder::doubt(std::int64_t shard) const {
  auto log = read_attempts(attempts_of(shard));
  log.state = ShardState::pending;
  log.is_fresh = true;
  for (auto& entry : log.tries) entry.store.clear();
  write_attempts(attempts_of(shard), log);
  forget_results(shard);
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
  auto left = by_falling_cost(shapes);
  double left_s = 0;
  for (const auto& [shape, seconds] : left) left_s += seconds;
  const double share = 1.0 / (pieces_of_what_is_left * static_cast<double>(devices));
  const double least_s = left_s * share / smallest_share;
  std::vector<std::vector<Shape>> shards;
  double wanted_s = 0;  // of the shard that is being filled
  for (auto& [shape, seconds] : left) {
    if (wanted_s < seconds / 2) {
      shards.emplace_back();
      wanted_s = std::min(std::max(left_s * share, least_s), target_s);
    }
    wanted_s -= seconds;
    left_s -= seconds;
    shards.back().push_back(std::move(shape));
  }
  return shards;
}

}  // namespace gemmtune
