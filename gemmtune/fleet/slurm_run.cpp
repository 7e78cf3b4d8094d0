#include "gemmtune/fleet/slurm_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/fleet/remote_job.h"
#include "gemmtune/fleet/scripts.h"
#include "gemmtune/fleet/shard_inputs.h"
#include "gemmtune/fleet/shell_words.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string word_in(const fs::path& path) {
  return is_there(path) ? visible_start(trim(read_file(path))) : std::string();
}

std::optional<double> time_in(const fs::path& table) {
  if (!is_there(table)) return std::nullopt;
  const auto sheet = read_sheet(table);
  for (const auto& row : sheet.rows)
    if (const auto time = time_us(sheet, row)) return time;
  return std::nullopt;
}

double age_of(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? 0 : std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::vector<fs::path> folders_in(const fs::path& path) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

std::int64_t failed_tries(const AttemptLog& log) {
  return std::ranges::count_if(log.tries, [](const Try& entry) {
    return entry.verdict != to_string(JobVerdict::done) && entry.verdict != to_string(JobVerdict::stopped);
  });
}

}  // namespace

void SlurmRun::place() const {
  const auto& path = folder_.path();
  for (const auto* part : {"slurm", "nodes", "work"}) {
    std::error_code error;
    fs::create_directories(path / part, error);
  }
  const auto& host = plan_.hosts.front();
  auto settings = plan_.agent_settings();
  settings.run_folder = (path / "work").string();
  auto script = settings_script(host, settings);
  script += "bundle_folder=" + shell_word((folder_.bundles() / plan_.bundle).string()) + '\n';
  script += fmt::format("calibration_interval={}\n", static_cast<std::int64_t>(plan_.calibration.interval_s));
  write_file_atomically(path / "settings.sh", script);
  write_file_atomically(path / "agent.sh", agent_script());
  write_file_atomically(path / "slurm.sh", slurm_script());
  write_file_atomically(path / "container.sh",
                        plan_.container_template.empty() ? container_script() : plan_.container_template);
  if (!plan_.calibration_arguments.empty() && is_there(folder_.calibration()))
    make_calibration_inputs(folder_, plan_, "", path / "calibration");
}

std::string SlurmRun::write_tasks(const std::vector<std::int64_t>& shards) const {
  std::string list;
  for (const auto shard : shards) {
    const auto folder = work(shard);
    make_shard_inputs(folder_, plan_, shard, "", folder);
    list += std::to_string(shard) + '\n';
  }
  const auto name = fmt::format("tasks-{:016x}", hash64(list + utc_now()));
  write_file_atomically(folder_.path() / name, list);
  return name;
}

SlurmDevice& SlurmRun::device_of(const std::string& node) {
  const auto known = std::ranges::find(devices_, node, &SlurmDevice::node);
  if (known != devices_.end()) return *known;
  devices_.push_back({.node = node});
  return devices_.back();
}

void SlurmRun::look_at_nodes() {
  for (const auto& folder : folders_in(folder_.path() / "nodes")) {
    if (!is_there(folder / "exit")) continue;
    auto& state = device_of(word_in(folder / "node")).state;
    const auto at = age_of(folder / "exit");
    if (!state.calibrations.empty() && state.calibrations.back().at_s == at) continue;
    if (const auto time = time_in(folder / "table.csv"); time && word_in(folder / "exit") == "0")
      state.calibrations.push_back({.at_s = at, .time_us = *time});
    else
      state.set_aside = "its calibration failed: " + read_job_end(folder, {}).why;
  }
  std::vector<std::vector<Calibration>> all;
  for (const auto& device : devices_) all.push_back(device.state.calibrations);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    auto& state = devices_[i].state;
    if (!state.set_aside.empty()) continue;
    state.set_aside = why_far_off(all, i, plan_.calibration);
    if (state.set_aside.empty()) continue;
    for (const auto shard : state.since_calibration) folder_.doubt(shard);
    state.since_calibration.clear();
  }
}

void SlurmRun::gather() {
  look_at_nodes();
  for (const auto shard : folder_.unfinished(plan_)) {
    const auto code = parse_int(word_in(place_of(shard) / "exit"));
    if (code) conclude(shard, read_job_end(place_of(shard), {.exit_code = static_cast<int>(*code)}));
  }
}

void SlurmRun::gather_remains(const std::vector<std::int64_t>& shards) {
  gather();
  for (const auto shard : shards) {
    if (!is_there(work(shard) / "node")) continue;
    auto end = read_job_end(work(shard), {.kind = JobEnd::Kind::lost});
    if (end.right == 0 && end.died == 0 && end.why.empty()) end.why = "its task ended before it began";
    conclude(shard, end);
  }
}

/// An earlier process may have been killed after it took the results, and before it said so.
fs::path SlurmRun::place_of(std::int64_t shard) const {
  const bool was_taken = !is_there(work(shard)) && is_there(folder_.back_of(shard) / "exit");
  return was_taken ? folder_.back_of(shard) : work(shard);
}

void SlurmRun::conclude(std::int64_t shard, const JobEnd& end) {
  auto log = read_attempts(folder_.attempts_of(shard));
  const auto judgement = judge(end);
  const auto from = place_of(shard);
  const auto node = word_in(from / "node");
  auto& state = device_of(node).state;
  const bool is_done = judgement.verdict == JobVerdict::done;
  const auto kept = is_done ? std::string("back") : fmt::format("try-{}", log.tries.size() + 1);
  std::error_code error;
  if (from != folder_.shard(shard) / kept) {
    fs::remove_all(folder_.shard(shard) / kept, error);
    fs::rename(from, folder_.shard(shard) / kept, error);
  }
  if (error) fail(ErrorCode::io, "cannot keep what came back of shard {}: {}", shard, error.message());
  Try entry{.host = node, .verdict = std::string(to_string(judgement.verdict)), .why = judgement.why};
  if (!is_done && judgement.verdict != JobVerdict::hosts_bad_word &&
      is_there(folder_.shard(shard) / kept / "trials.db"))
    entry.store = kept + "/trials.db";
  log.tries.push_back(std::move(entry));
  if (is_done) {
    log.state = ShardState::done;
    ++state.shards_done;
    state.shapes_done += static_cast<std::int64_t>(read_shapes(folder_.shapes_of(shard), {}).shapes.size());
    state.since_calibration.push_back(shard);
  } else if (judgement.verdict == JobVerdict::shards_fault || failed_tries(log) >= plan_.tries) {
    log.state = ShardState::failed;
  }
  if (!is_done && judgement.verdict != JobVerdict::stopped) ++state.failures;
  if (judgement.sets_aside && state.set_aside.empty()) state.set_aside = judgement.why;
  write_attempts(folder_.attempts_of(shard), log);
  if (log.state != ShardState::pending) folder_.note_finished(shard);
}

std::vector<std::string> SlurmRun::nodes_set_aside() const {
  std::vector<std::string> nodes;
  for (const auto& device : devices_)
    if (!device.state.set_aside.empty() && is_plain_name(device.node)) nodes.push_back(device.node);
  return nodes;
}

std::int64_t SlurmRun::shapes_done() const {
  std::int64_t shapes = 0;
  for (const auto& device : devices_) shapes += device.state.shapes_done;
  return shapes;
}

std::string SlurmRun::known_job() const { return word_in(folder_.path() / "slurm-job"); }

void SlurmRun::note_job(const std::string& job) const {
  write_file_atomically(folder_.path() / "slurm-job", job + '\n');
}

}  // namespace gemmtune
