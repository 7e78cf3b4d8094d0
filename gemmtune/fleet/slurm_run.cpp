#include "gemmtune/fleet/slurm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/file_lock.h"
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

constexpr auto silence_of_a_file_system = std::chrono::seconds(5);
constexpr auto look_again = std::chrono::milliseconds(200);
constexpr auto submitting_patience = std::chrono::minutes(3);  // sbatch itself gives up earlier

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

/// Since 1970.
double modified_s(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? 0 : std::chrono::duration<double>(std::chrono::file_clock::to_sys(time).time_since_epoch()).count();
}

/// Opening a folder asks a shared file system what is in it now; looking for a name may show what was there before.
bool holds(const fs::path& folder, const fs::path& name) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename() == name) return true;
  return false;
}

std::vector<fs::path> folders_in(const fs::path& path) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

bool counts(const AttemptLog& log) {
  return log.state == ShardState::done && !log.tries.empty() && log.tries.back().verdict == to_string(JobVerdict::done);
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
  script += "files_folder=" + shell_word((folder_.bundles() / plan_.files).string()) + '\n';
  script += fmt::format("calibration_interval={}\n", static_cast<std::int64_t>(plan_.calibration.interval_s));
  write_file_atomically(path / "settings.sh", script);
  write_file_atomically(path / "agent.sh", agent_script());
  write_file_atomically(path / "slurm.sh", slurm_script());
  write_file_atomically(path / "container.sh",
                        plan_.container_template.empty() ? container_script() : plan_.container_template);
}

void SlurmRun::begin() {
  const auto inputs = folder_.path() / "calibration";
  if (!plan_.calibration_arguments.empty() && !is_there(inputs)) {  // tasks that run may be reading it
    make_calibration_inputs(folder_, plan_, "", folder_.path() / "calibration.part");
    keep(folder_.path() / "calibration.part", inputs);
  }
  recall();
  for (const auto shard : folder_.unfinished(plan_))
    if (const auto taken = folder_.taken_without_a_word(shard, read_attempts(folder_.attempts_of(shard)));
        !taken.empty())
      conclude(shard, taken, read_job_end(taken));
}

/// What the shards' records and the nodes' calibrations say of the devices.
void SlurmRun::recall() {
  devices_.clear();
  for (const auto& folder : folders_in(folder_.path() / "nodes")) {
    const bool is_good = word_in(folder / "exit") == "0";
    std::error_code error;
    if (is_good && seconds_now() - modified_s(folder / "exit") < plan_.calibration.interval_s)
      look_at_node(folder);
    else
      fs::remove(folder / "exit", error);  // the node is tried again
  }
  for (const auto shard : folder_.finished()) {
    const auto log = read_attempts(folder_.attempts_of(shard));
    if (counts(log)) note_done(device_named(log.tries.back().device, log.tries.back().host), shard);
  }
}

std::string SlurmRun::write_tasks(const std::vector<std::int64_t>& shards) const {
  std::string list;
  for (const auto shard : shards) {
    const auto folder = work(shard);
    make_shard_inputs(folder_, plan_, shard, "", folder);
    list += std::to_string(shard) + '\n';
  }
  const auto name = fmt::format("tasks-{:016x}", hash64(list + utc_now() + plan_.run));
  write_file_atomically(folder_.path() / name, list);
  for (const auto shard : shards) write_file_atomically(work(shard) / "tasks", name + '\n');
  return name;
}

SlurmDevice& SlurmRun::device_of(const fs::path& job_folder) {
  return device_named(word_in(job_folder / "device"), word_in(job_folder / "node"));
}

SlurmDevice& SlurmRun::device_named(const std::string& name, const std::string& node) {
  const auto known = std::ranges::find(devices_, name, &SlurmDevice::name);
  if (known != devices_.end()) return *known;
  devices_.push_back({.name = name, .node = node});
  return devices_.back();
}

void SlurmRun::look_at_nodes() {
  for (const auto& folder : folders_in(folder_.path() / "nodes")) look_at_node(folder);
  judge_nodes();
}

void SlurmRun::look_at_node(const fs::path& folder) {
  if (!is_there(folder / "exit")) return;
  auto& state = device_of(folder).state;
  const auto at = modified_s(folder / "exit");
  if (!state.set_aside.empty() || (!state.calibrations.empty() && state.calibrations.back().at_s == at)) return;
  const auto time = time_in(folder / "table.csv");
  if (time && word_in(folder / "exit") == "0")
    state.calibrations.push_back({.at_s = at, .time_us = *time});
  else
    state.set_aside = "its calibration failed: " + read_job_end(folder).why;
}

void SlurmRun::judge_nodes() {
  std::vector<std::vector<Calibration>> all;
  for (const auto& device : devices_) all.push_back(device.state.calibrations);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    auto& state = devices_[i].state;
    if (!state.set_aside.empty()) continue;
    state.set_aside = why_far_off(all, i, plan_.calibration);
    if (state.set_aside.empty()) {
      forget_older(state);
      continue;
    }
    for (const auto shard : state.since_calibration) folder_.doubt(shard);
    state.since_calibration.clear();
  }
}

/// A good calibration speaks for the shards before it.
void SlurmRun::forget_older(SlotState& state) const {
  if (state.calibrations.size() < 2) return;
  std::erase_if(state.since_calibration, [&](std::int64_t shard) {
    return modified_s(folder_.path() / "finished" / std::to_string(shard)) < state.calibrations.back().at_s;
  });
}

void SlurmRun::gather() {
  look_at_nodes();
  for (const auto shard : folder_.unfinished(plan_))
    if (holds(work(shard), "exit")) conclude(shard, work(shard), read_job_end(work(shard)));
}

std::vector<std::int64_t> SlurmRun::without_a_word(const std::vector<std::int64_t>& shards) const {
  std::vector<std::int64_t> silent;
  std::ranges::copy_if(shards, std::back_inserter(silent),
                       [&](std::int64_t shard) { return holds(work(shard), "node") && !holds(work(shard), "exit"); });
  return silent;
}

void SlurmRun::gather_remains(const std::vector<std::int64_t>& shards) {
  const auto end = SteadyClock::now() + silence_of_a_file_system;
  while (!without_a_word(shards).empty() && SteadyClock::now() < end) std::this_thread::sleep_for(look_again);
  gather();
  for (const auto shard : without_a_word(shards)) {
    auto last = read_job_end(work(shard), {.kind = JobEnd::Kind::lost});
    if (last.right == 0 && last.died == 0 && last.why.empty()) last.why = "its task ended before it began";
    conclude(shard, work(shard), last);
  }
}

void SlurmRun::keep(const fs::path& from, const fs::path& to) const {
  std::error_code error;
  if (from == to) return;
  fs::remove_all(to, error);
  fs::rename(from, to, error);
  if (error) fail(ErrorCode::io, "cannot keep what came back in {}: {}", to.string(), error.message());
}

void SlurmRun::note_done(SlurmDevice& device, std::int64_t shard) const {
  ++device.state.shards_done;
  device.state.shapes_done += static_cast<std::int64_t>(read_shapes(folder_.shapes_of(shard), {}).shapes.size());
  device.state.since_calibration.push_back(shard);
}

void SlurmRun::conclude(std::int64_t shard, const fs::path& from, const JobEnd& end) {
  auto log = read_attempts(folder_.attempts_of(shard));
  const auto judgement = from == folder_.back_of(shard) ? Judgement{} : judge(end);
  auto& device = device_of(from);
  Try entry{.host = device.node,
            .device = device.name,
            .verdict = std::string(to_string(judgement.verdict)),
            .why = judgement.why};
  const bool is_done = judgement.verdict == JobVerdict::done;
  const auto kept = is_done ? folder_.back_of(shard) : folder_.try_of(shard, log.tries.size() + 1);
  keep(from, kept);
  if (!is_done && judgement.verdict != JobVerdict::hosts_bad_word && is_there(kept / "trials.db"))
    entry.store = kept.filename().string() + "/trials.db";
  log.tries.push_back(std::move(entry));
  if (is_done) {
    log.state = ShardState::done;
    note_done(device, shard);
  } else if (judgement.verdict == JobVerdict::shards_fault || failed_tries(log) >= plan_.tries) {
    log.state = ShardState::failed;
  }
  auto& state = device.state;
  if (!is_done && judgement.verdict != JobVerdict::stopped) ++state.failures;
  if (judgement.sets_aside && state.set_aside.empty()) state.set_aside = judgement.why;
  write_attempts(folder_.attempts_of(shard), log);
  if (log.state != ShardState::pending) folder_.note_finished(shard);
}

std::vector<std::string> SlurmRun::nodes_set_aside() const {
  std::vector<std::string> nodes;
  for (const auto& device : devices_)
    if (!device.state.set_aside.empty() && is_plain_name(device.node)) nodes.push_back(device.node);
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

std::int64_t SlurmRun::shapes_done() const {
  std::int64_t shapes = 0;
  for (const auto& device : devices_) shapes += device.state.shapes_done;
  return shapes;
}

std::string SlurmRun::submit(const SlurmChoice& choice, const std::vector<std::int64_t>& shards) const {
  const auto tasks = write_tasks(shards);
  const auto name = "gemmtune-" + tasks;
  write_file_atomically(folder_.path() / "slurm-name", name + '\n');
  const auto job = submit_array(choice, {.name = name,
                                         .folder = folder_.path(),
                                         .tasks = tasks,
                                         .count = shards.size(),
                                         .excluded_nodes = nodes_set_aside()});
  write_file_atomically(folder_.path() / "slurm-job", job + '\n');
  return job;
}

std::string SlurmRun::known_job() const {
  const auto name = word_in(folder_.path() / "slurm-name");
  if (name.empty()) return {};
  const FileLock until_slurm_has_answered(folder_.path() / submitting_lock, submitting_patience);
  return job_of_name(name);
}

}  // namespace gemmtune
