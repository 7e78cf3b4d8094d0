#include "gemmtune/fleet/remote_job.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/fleet/run_folder.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto pause = std::chrono::seconds(2);  // between two tries to reach a host
constexpr double transfer_s = 600;
constexpr double grace_s = 120;  // beyond the limit, which the host enforces itself
constexpr double stop_s = 60;
constexpr double quick_s = 30;
constexpr int runs_already = 6;  // exit codes of the agent
constexpr int device_in_use = 7;
constexpr std::size_t words_shown = 200;

Deadline in(double seconds) {
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

/// Asks again and again while the host cannot be reached, until it has been silent for too long.
template <typename Ask>
HostReply insisting(double lost_s, Ask&& ask) {
  const auto start = SteadyClock::now();
  for (;;) {
    auto reply = ask();
    if (!reply.is_lost() || seconds_since(start) > lost_s) return reply;
    std::this_thread::sleep_for(pause);
  }
}

JobEnd silent(const HostReply& reply) { return {.kind = JobEnd::Kind::silent, .why = reply.why}; }

std::string last_line(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  const auto text = read_file(path);
  const auto trimmed = trim(text);
  return visible_start(trimmed.substr(trimmed.rfind('\n') + 1), words_shown);
}

class Waiting {
 public:
  Waiting(const HostLink& link, const RemoteJob& job, const OnProgress& on_progress)
      : link_(link), job_(job), on_progress_(on_progress) {}

  std::optional<JobEnd> wait() {
    const auto overdue = in(job_.limit_s + grace_s);
    while (ended_.empty()) {
      const auto reply = link_.ask({"wait", job_.name}, overdue, [&](const auto& line) { return hear(line); });
      if (wish_ == GoOn::leave) return std::nullopt;
      if (wish_ == GoOn::stop) stop();
      if (!ended_.empty()) break;
      if (seconds_since(last_heard_) > job_.lost_s || SteadyClock::now() > overdue) return silent(reply);
      if (on_progress_(shapes_) == GoOn::leave) return std::nullopt;
      std::this_thread::sleep_for(pause);
    }
    return fetch();
  }

 private:
  bool hear(const std::string& line) {
    last_heard_ = SteadyClock::now();
    if (line.starts_with("exit=")) ended_ = line.substr(5);
    if (line.starts_with("shapes=")) shapes_ = parse_int(line.substr(7)).value_or(0);
    if (ended_.empty()) wish_ = on_progress_(shapes_);
    return wish_ == GoOn::yes;
  }

  void stop() {
    link_.ask({"stop", job_.name}, in(stop_s));
    const auto state = link_.ask({"state", job_.name}, in(stop_s)).value("state");
    ended_ = state.empty() || state == "running" ? "lost" : state;
  }

  JobEnd fetch() {
    if (ended_ == "absent") return {.kind = JobEnd::Kind::lost, .why = "its folder is gone"};
    make_empty_folder(job_.back);
    const auto reply = insisting(job_.lost_s, [&] {
      return link_.fetch({"get", job_.name}, job_.back, in(transfer_s));
    });
    if (reply.is_lost()) return silent(reply);
    const auto code = parse_int(ended_);
    JobEnd end{.kind = code ? JobEnd::Kind::exited : JobEnd::Kind::lost,
               .exit_code = static_cast<int>(code.value_or(0))};
    if (!reply.is_fine()) end = {.kind = JobEnd::Kind::lost, .why = reply.why};
    return read_job_end(job_.back, end);
  }

  const HostLink& link_;
  const RemoteJob& job_;
  const OnProgress& on_progress_;
  SteadyClock::time_point last_heard_{SteadyClock::now()};
  std::string ended_;
  std::int64_t shapes_{};
  GoOn wish_{GoOn::yes};
};

void count_outcomes(const fs::path& path, JobEnd& end) {
  const auto store = TrialStore::open_read_only(path);
  const auto runs = store.runs();
  if (runs.empty()) return;
  for (const auto& [outcome, count] : store.outcomes_during(runs.back())) {
    if (outcome == Outcome::ok) end.right += count;
    if (outcome == Outcome::crashed || outcome == Outcome::timed_out) end.died += count;
  }
  end.is_out_of_time = runs.back().state == out_of_time;
  for (const auto& result : store.results(runs.back().id)) end.right += result.winner.empty() ? 0 : 1;
}

}  // namespace

JobEnd read_job_end(const fs::path& back, JobEnd end) {
  if (end.why.empty()) end.why = last_line(back / "log.txt");
  const auto disk = last_line(back / "disk.txt");
  end.free_disk_kb = parse_int(std::string_view(disk).substr(0, disk.find(' '))).value_or(-1);
  std::error_code error;
  if (!fs::exists(back / "trials.db", error)) return end;
  try {
    count_outcomes(back / "trials.db", end);
  } catch (const Error& why) {  // cut off, by a full disk for example
    end.why += fmt::format(" ({})", why.what());
    end.kind = JobEnd::Kind::lost;
  }
  return end;
}

JobEnd read_job_end(const fs::path& back) {
  const auto code = parse_int(last_line(back / "exit"));
  return read_job_end(back, {.kind = code ? JobEnd::Kind::exited : JobEnd::Kind::lost,
                             .exit_code = static_cast<int>(code.value_or(0))});
}

std::optional<JobEnd> start_job(const HostLink& link, const RemoteJob& job, const fs::path& inputs) {
  const auto reply = insisting(job.lost_s, [&] {
    return link.send(inputs, {"put-and-start", job.name, std::to_string(job.start)}, in(transfer_s));
  });
  if (reply.is_lost()) return silent(reply);
  if (reply.exit_code == runs_already) return std::nullopt;
  if (reply.exit_code == device_in_use) return JobEnd{.kind = JobEnd::Kind::waiting, .why = reply.why};
  if (!reply.is_fine()) return JobEnd{.kind = JobEnd::Kind::refused, .why = reply.why};
  return std::nullopt;
}

std::optional<std::string> fence_job(const HostLink& link, const RemoteJob& job) {
  const auto reply = insisting(job.lost_s, [&] {
    return link.ask({"fence", job.name, std::to_string(job.start)}, in(quick_s));
  });
  if (reply.is_lost()) return std::nullopt;
  return reply.is_fine() ? reply.value("state") : "absent";
}

std::optional<JobEnd> wait_for_job(const HostLink& link, const RemoteJob& job, const OnProgress& on_progress) {
  return Waiting(link, job, on_progress).wait();
}

}  // namespace gemmtune
