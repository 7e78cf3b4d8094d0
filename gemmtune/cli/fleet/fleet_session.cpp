#include "gemmtune/cli/fleet/fleet_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "gemmtune/cli/fleet/fleet_progress.h"
#include "gemmtune/cli/fleet/fleet_start.h"
#include "gemmtune/cli/fleet/fleet_text.h"
#include "gemmtune/cli/fleet/handing_observer.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/signal_watch.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/files.h"
#include "gemmtune/fleet/container.h"
#include "gemmtune/fleet/prepare.h"
#include "gemmtune/fleet/shell_words.h"
#include "gemmtune/fleet/slot_lease.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto tidying_patience = std::chrono::seconds(15);
constexpr auto stopping_patience = std::chrono::seconds(60);

/// Hands results over and shows the progress.
class Observer final : public HandingObserver {
 public:
  Observer(const RunFolder& folder, const FleetPlan& plan, FleetTaker& taker)
      : HandingObserver(folder, taker), progress_(plan) {}

  void look(const FleetView& view) override { progress_.show(view); }

 private:
  FleetProgress progress_;
};

class Session {
 public:
  Session(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker)
      : flags_(flags), work_(work), taker_(taker), folder_(fs::absolute(work.folder)) {}

  FleetResult run() {
    const auto lock = only_head(folder_.path());
    plan_ = settings_of(flags_, work_);
    const bool resumes = folder_.has_unfinished(plan_.identity);
    prepare(resumes);
    if (const auto earlier = earlier_plan(folder_, plan_.identity); earlier && !resumes) end_earlier(*earlier);
    const auto shapes = taker_.shapes_for(device_);
    if (!resumes &&
        !begin_plan(folder_, plan_,
                    {.shapes = shapes, .devices = plan_.slots.size(), .flags = flags_, .files = work_.files}))
      return {};
    if (resumes) take_over_shards(folder_, plan_);
    taker_.begin(plan_);
    take_earlier(folder_, taker_);
    return run_shards();
  }

 private:
  /// Nothing is measured beside the jobs of a run that this one replaces. Hosts that have dropped a run begin nothing
  /// of it any more, so that its plan goes first: nobody may go on with such a run.
  void end_earlier(const FleetPlan& earlier) const {
    spdlog::warn("another run in {} was not done: its jobs are stopped", folder_.path().string());
    ask_all(earlier, "stop-all", stopping_patience);
    move_aside_earlier(folder_);
    ask_all(earlier, "drop-run", tidying_patience);
  }

  static void ask_all(const FleetPlan& plan, const std::string& verb, std::chrono::seconds patience) {
    side_by_side(plan.hosts.size(), [&](std::size_t i) {
      HostLink(plan.hosts[i], plan.agent_settings()).ask({verb}, SteadyClock::now() + patience);
    });
  }

  void prepare(bool resumes) {
    const auto hosts = chosen_hosts(flags_);
    const auto links = links_folder(folder_);
    const auto bundle = program_bundle(links);
    if (resumes) plan_.run = read_plan(folder_.plan()).run;
    plan_.bundle = bundle.id;
    ProbePlan wanted{.bundle = bundle, .version = "gemmtune " GEMMTUNE_VERSION};
    if (!flags_.shipped.empty()) wanted.files = shipped_bundle(links, flags_.shipped);
    if (wanted.files) plan_.files = wanted.files->id;
    plan_.hosts = hosts;
    auto prepared = prepare_hosts(hosts, plan_.agent_settings(), wanted);
    spdlog::info("hosts:");
    print_note("{}", hosts_text(prepared.probes));
    device_ = first_device(prepared);
    plan_.slots = std::move(prepared.slots);
  }

  FleetResult run_shards() {
    std::atomic<bool> stop{false};
    const SignalWatch signals([&](int) {
      stop = true;
      spdlog::warn("stopping on all hosts: what is measured comes back; interrupt again to end at once");
    });
    FleetResult result;
    {
      Observer observer(folder_, plan_, taker_);
      result.outcome = run_fleet(folder_, engine(), observer, stop);
    }
    take_parts_of(folder_, result.outcome.unfinished, taker_);
    if (result.outcome.unfinished.empty()) tidy_hosts();
    result.signal = signals.caught();
    const auto slots = read_slots(folder_, plan_.slots.size());
    write_file_atomically(devices_file(folder_.path()), devices_json(plan_, slots));
    show_devices(work_, plan_, slots);
    return result;
  }

  /// Hosts keep the program for the next run.
  void tidy_hosts() const {
    side_by_side(plan_.hosts.size(), [&](std::size_t i) {
      const bool is_used = std::ranges::any_of(plan_.slots, [&](const Slot& slot) { return slot.host == i; });
      if (is_used)
        HostLink(plan_.hosts[i], plan_.agent_settings()).ask({"drop-run"}, SteadyClock::now() + tidying_patience);
    });
  }

  FleetEngine engine() const {
    const auto program = fs::read_symlink("/proc/self/exe").string();
    return {.engine = engine_of_this_machine(),
            .attempt = {program, "hosts", "attempt", "--head", std::to_string(::getpid()), folder_.path().string()}};
  }

  const FleetFlags& flags_;
  const FleetWork& work_;
  FleetTaker& taker_;
  RunFolder folder_;
  FleetPlan plan_;
  FleetDevice device_;
};

}  // namespace

void show_devices(const FleetWork& work, const FleetPlan& plan, const std::vector<SlotState>& slots) {
  const auto text = devices_text(plan, slots) + '\n';
  work.has_data_on_stdout ? write_note(text) : write_text(text);
}

fs::path devices_file(const fs::path& run_folder) { return run_folder / "devices.json"; }

void show_fleet_plan(const FleetFlags& flags, const FleetWork& work, const std::vector<Shape>& shapes) {
  const auto hosts = flags.slurm ? std::vector<Host>{} : chosen_hosts(flags);
  std::size_t devices = 0;
  for (const auto& host : hosts) devices += std::max<std::size_t>(host.devices.size(), 1);
  const auto shards =
      make_shards(shapes, std::max<std::size_t>(devices, 1), duration_of("--shard_time", flags.shard_time));
  print_text("{} shapes in {} shards; the run's folder would be {}\n", shapes.size(), shards.size(),
             work.folder.string());
  print_text("on each device: {}\n", shell_line([&] {
               std::vector<std::string> words{"gemmtune"};
               words.insert(words.end(), work.arguments.begin(), work.arguments.end());
               words.insert(words.end(), {"--device", "DEVICE"});
               return words;
             }()));
  for (const auto& host : hosts) {
    const HostLink link(host, settings_of(flags, work).agent_settings());
    print_text("[{}] {}\n", host.name, shell_line(link.command({"put-and-start", "0"})));
    if (!host.container.empty())
      print_text("[{}] {}", host.name, container_command(host, container_template_of(flags), work.arguments));
  }
}

FleetResult run_fleet_session(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker) {
  return Session(flags, work, taker).run();
}

}  // namespace gemmtune
