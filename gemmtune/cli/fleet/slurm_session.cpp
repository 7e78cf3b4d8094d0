#include "gemmtune/cli/fleet/slurm_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "gemmtune/cli/fleet/fleet_start.h"
#include "gemmtune/cli/fleet/fleet_text.h"
#include "gemmtune/cli/fleet/handing_observer.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/signal_watch.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/fleet/bundle.h"
#include "gemmtune/fleet/slurm.h"
#include "gemmtune/fleet/slurm_run.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto pause = std::chrono::seconds(1);
constexpr double grace_s = 5;           // beyond the budget
constexpr std::size_t tasks_guess = 8;  // how many tasks may run at a time; Slurm tells nobody beforehand

class SlurmSession {
 public:
  SlurmSession(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker)
      : flags_(flags), work_(work), taker_(taker), folder_(fs::absolute(work.folder)) {}

  FleetResult run() {
    const auto lock = only_head(folder_.path());
    plan_ = settings_of(flags_, work_);
    place_bundles();
    plan_.hosts = {{.name = "slurm", .folder = folder_.path().string(), .container = flags_.container}};
    const bool resumes = folder_.has_unfinished(plan_.identity);
    if (resumes) plan_.run = read_plan(folder_.plan()).run;
    choice_ = {.partition = flags_.partition, .options = flags_.slurm_options, .limit_s = plan_.limit_s};
    if (const auto earlier = earlier_plan(folder_, plan_.identity)) end_earlier(*earlier);
    if (!resumes) forget_other_bundles();
    SlurmRun(folder_, plan_).place();
    const auto shapes = taker_.shapes_for(known_device(resumes));
    if (!resumes &&
        !begin_plan(folder_, plan_, {.shapes = shapes, .devices = tasks_guess, .flags = flags_, .files = work_.files}))
      return {};
    if (resumes) take_over_shards(folder_, plan_);
    taker_.begin(plan_);
    take_earlier(folder_, taker_);
    return run_shards();
  }

 private:
  /// The nodes run the program in the run's folder, which they share.
  void place_bundles() {
    const auto links = links_folder(folder_);
    plan_.bundle = with_files(program_bundle(links)).id;
    if (!flags_.shipped.empty()) plan_.files = with_files(shipped_bundle(links, flags_.shipped)).id;
  }

  /// Runs beside this one may have the same bundle.
  Bundle with_files(const Bundle& links) const {
    std::vector<fs::path> others;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_.path().parent_path(), error))
      if (entry.path().extension() == folder_.path().extension() && entry.path() != folder_.path())
        others.push_back(RunFolder(entry.path()).bundles() / links.id);
    return bundle_of_files(links, folder_.bundles(), others);
  }

  /// No task of an earlier run needs them any more.
  void forget_other_bundles() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_.bundles(), error))
      if (entry.path().filename() != plan_.bundle && entry.path().filename() != plan_.files)
        fs::remove_all(entry.path(), error);
  }

  /// The array of a run that this one replaces would write into the same folders.
  void end_earlier(const FleetPlan& earlier) const {
    SlurmRun run(folder_, earlier);
    if (const auto job = run.known_job(); !job.empty()) {
      spdlog::warn("another run in {} was not done: its job {} is cancelled", folder_.path().string(), job);
      cancel_job(job);
      while (!tasks_of(job).empty()) std::this_thread::sleep_for(pause);
    }
    run.begin();
    run.gather_remains(folder_.unfinished(earlier));
    move_aside_earlier(folder_);
    std::error_code error;
    for (const auto* part : {"work", "nodes", "calibration", "slurm-name", "slurm-job"})
      fs::remove_all(folder_.path() / part, error);
  }

  /// What the rows of the table are for. A node says it, once: while the array of an earlier process runs, there may be
  /// no node free for the question.
  FleetDevice known_device(bool resumes) const {
    const auto path = folder_.path() / "device.json";
    std::error_code error;
    if (!resumes || !fs::exists(path, error)) write_file_atomically(path, said_by_a_node());
    return chosen_devices(parse_device_list(read_file(path), path.string()), {}).front();
  }

  std::string said_by_a_node() const {
    const HostReply reply{.lines = run_on_a_node(choice_, folder_.path(), {"sh", "./agent.sh", "inspect"})};
    if (const auto error = reply.value("error"); !error.empty()) fail(ErrorCode::no_device, "a node: {}", error);
    return reply.value("devices");
  }

  FleetResult run_shards() {
    std::atomic<bool> stop{false};
    const SignalWatch signals([&](int) {
      stop = true;
      spdlog::warn("cancelling the array: what is measured comes back; interrupt again to end at once");
    });
    SlurmRun run(folder_, plan_);
    run.begin();
    HandingObserver handing(folder_, taker_);
    Harvest harvest(folder_, handing);
    harvest.gather();
    for (auto left = folder_.unfinished(plan_); !left.empty() && !stop && !plan_.is_out_of_time();) {
      run_round(run, harvest, left, stop);
      const auto still_left = folder_.unfinished(plan_);
      if (still_left == left && ++fruitless_rounds_ >= plan_.tries) break;
      left = still_left;
    }
    FleetResult result;
    result.outcome = {.unfinished = folder_.unfinished(plan_),
                      .failed = harvest.failed(),
                      .was_stopped = stop,
                      .is_out_of_time = plan_.is_out_of_time()};
    take_parts_of(folder_, result.outcome.unfinished, taker_);
    result.signal = signals.caught();
    show_nodes(run);
    return result;
  }

  void run_round(SlurmRun& run, Harvest& harvest, const std::vector<std::int64_t>& left,
                 const std::atomic<bool>& stop) {
    auto job = run.known_job();
    if (!job.empty() && !tasks_of(job).empty()) {
      spdlog::info("going on with Slurm's job {}", job);
    } else {
      run.gather_remains(left);
      harvest.gather();
      const auto shards = folder_.unfinished(plan_);
      if (shards.empty()) return;
      job = run.submit(choice_, shards);
      spdlog::info("Slurm's job {}: an array of {} tasks", job, shards.size());
    }
    watch(run, harvest, job, stop);
    run.gather_remains(folder_.unfinished(plan_));
    harvest.gather();
    tell(run, harvest, {});
  }

  void watch(SlurmRun& run, Harvest& harvest, const std::string& job, const std::atomic<bool>& stop) {
    bool is_cancelled = false;
    std::size_t aside = run.nodes_set_aside().size();
    for (auto tasks = tasks_of(job); !tasks.empty(); tasks = tasks_of(job)) {
      if (!is_cancelled && (stop || is_overdue())) {
        cancel_job(job);
        is_cancelled = true;
      }
      run.gather();
      harvest.gather();
      tell(run, harvest, tasks);
      if (const auto nodes = run.nodes_set_aside(); nodes.size() > aside) {
        aside = nodes.size();
        spdlog::warn("set aside: {}", fmt::join(nodes, ", "));
        keep_from_node(job, nodes);
      }
      std::this_thread::sleep_for(pause);
    }
  }

  /// Tasks that began late have a budget of their own that ends late; those that began early end by themselves.
  bool is_overdue() const { return plan_.deadline_s > 0 && seconds_now() > plan_.deadline_s + grace_s; }

  void tell(const SlurmRun& run, const Harvest& harvest, const std::vector<SlurmTask>& tasks) {
    const auto running = std::ranges::count(tasks, "RUNNING", &SlurmTask::state);
    const auto line = fmt::format("{} of {} shards, {} of {} shapes, {} tasks run", harvest.count(), plan_.shards,
                                  run.shapes_done(), plan_.shapes, running);
    if (line != told_) spdlog::info("{}", line);
    told_ = line;
  }

  void show_nodes(const SlurmRun& run) const {
    auto plan = plan_;
    plan.hosts.clear();
    plan.slots.clear();
    std::vector<SlotState> states;
    for (const auto& device : run.devices()) {
      const bool is_alone = std::ranges::count(run.devices(), device.node, &SlurmDevice::node) == 1;
      plan.slots.push_back({.host = plan.hosts.size()});
      plan.hosts.push_back({.name = is_alone ? device.node : device.name});
      states.push_back(device.state);
    }
    write_file_atomically(devices_file(folder_.path()), devices_json(plan, states));
    show_devices(work_, plan, states);
  }

  const FleetFlags& flags_;
  const FleetWork& work_;
  FleetTaker& taker_;
  RunFolder folder_;
  FleetPlan plan_;
  SlurmChoice choice_;
  std::string told_;
  std::int64_t fruitless_rounds_{};
};

}  // namespace

FleetResult run_slurm_session(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker) {
  return SlurmSession(flags, work, taker).run();
}

}  // namespace gemmtune
