#include "gemmtune/report/run_status.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/trials/writer_lock.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr double silence_s = 120;  // a run updates its heartbeat every few seconds

std::time_t parse_utc(const std::string& text) {
  std::tm time{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return rest != nullptr && *rest == '\0' ? ::timegm(&time) : 0;
}

std::string utc_text(std::time_t moment) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(moment)); }

/// Whether the process is this run. Process ids are reused, so the command line must match too.
bool is_process(std::int64_t pid, const std::string& command_line) {
  try {
    auto text = read_file(fmt::format("/proc/{}/cmdline", pid));
    while (text.ends_with('\0')) text.pop_back();
    std::ranges::replace(text, '\0', ' ');
    return text == command_line;
  } catch (const Error&) {
    return false;  // there is no process with this id
  }
}

std::optional<bool> is_alive(const Run& run) {
  if (run.host != host_name()) return std::nullopt;
  return is_process(run.pid, run.command_line);
}

std::time_t modified(const fs::path& path) {
  const auto time = fs::last_write_time(path);
  return std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(time));
}

WrittenFile as_it_is_now(const RunFile& file) {
  try {
    return {.file = file,
            .is_there = true,
            .bytes = static_cast<std::int64_t>(fs::file_size(file.path)),
            .modified_utc = utc_text(modified(file.path))};
  } catch (const fs::filesystem_error&) {
    return {.file = file};
  }
}

double mean_gain(const std::vector<RunResult>& results) {
  double sum = 0;
  int count = 0;
  for (const auto& result : results) {
    const auto gain = result.gain();
    if (!gain) continue;
    sum += std::log(*gain);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

/// The last heartbeat of a finished run is the time of its end.
void add_pace(RunStatus& status, std::time_t now) {
  const auto& run = status.run;
  const auto end = status.state == RunState::running ? now : parse_utc(run.heartbeat_utc);
  status.elapsed_s = std::max(0.0, seconds_between(run.begun_utc, end));
  if (run.shapes_done == 0 || status.elapsed_s <= 0) return;
  const double per_second = static_cast<double>(run.shapes_done) / status.elapsed_s;
  status.shapes_per_hour = per_second * 3600;
  if (status.state == RunState::running)
    status.remaining_s = static_cast<double>(run.shapes - run.shapes_done) / per_second;
}

RunStatus status_of(const TrialStore& store, const Run& run, std::int64_t lines) {
  const auto now = std::time(nullptr);
  RunStatus status{.run = run, .last_heard_s = seconds_between(run.heartbeat_utc, now)};
  status.state = state_of(run, is_alive(run), status.last_heard_s);
  add_pace(status, now);
  status.results = store.results(run.id);
  status.mean_gain = mean_gain(status.results);
  status.outcomes = store.outcomes_during(run);
  status.last_lines = store.last_lines(run.id, lines);
  for (const auto& file : store.files(run.id)) status.files.push_back(as_it_is_now(file));
  status.damaged_rows = store.damaged().size();
  return status;
}

/// The latest run that did something; the latest one if none did. A run that finds all shapes tuned does nothing.
std::int64_t latest_of(const std::vector<Run>& runs) {
  const auto did_something = [](const Run& run) { return run.shapes > 0; };
  const auto found = std::find_if(runs.rbegin(), runs.rend(), did_something);
  return found != runs.rend() ? found->id : runs.back().id;
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::stopped:
      return "stopped";
    case RunState::killed:
      return "killed";
    case RunState::silent:
      return "silent";
  }
  return "";
}

RunState state_of(const Run& run, std::optional<bool> alive, double last_heard_s) {
  if (run.state == "done") return RunState::done;
  if (run.state != "running") return RunState::stopped;
  if (alive) return *alive ? RunState::running : RunState::killed;
  return last_heard_s > silence_s ? RunState::silent : RunState::running;
}

std::vector<RunStatus> statuses_of(const fs::path& path, const StatusQuery& query) {
  const auto store = TrialStore::open_read_only(path);
  const auto runs = store.runs();
  std::vector<RunStatus> statuses;
  const auto latest = runs.empty() ? 0 : latest_of(runs);
  for (const auto& run : runs) {
    if (!query.all_runs && run.state != "running" && run.id != latest) continue;
    auto status = status_of(store, run, query.lines);
    status.store = path;
    const bool is_old = !query.all_runs && run.id != latest && status.state != RunState::running;
    if (!is_old) statuses.push_back(std::move(status));
  }
  return statuses;
}

std::vector<RunResult> best_gains(const RunStatus& status, std::size_t count) {
  std::vector<RunResult> best;
  for (const auto& result : status.results)
    if (result.gain()) best.push_back(result);
  std::ranges::stable_sort(best, [](const auto& a, const auto& b) { return *a.gain() > *b.gain(); });
  if (best.size() > count) best.resize(count);
  return best;
}

double seconds_between(const std::string& utc, std::time_t moment) {
  const auto begin = parse_utc(utc);
  return begin == 0 ? 0 : std::difftime(moment, begin);
}

}  // namespace gemmtune
