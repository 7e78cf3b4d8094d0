#include "gemmtune/fleet/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/file_lock.h"
#include "gemmtune/fleet/remote_job.h"
#include "gemmtune/fleet/shard_inputs.h"
#include "gemmtune/fleet/slot_lease.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto look_again = std::chrono::milliseconds(250);
constexpr auto shard_patience = std::chrono::minutes(11);       // an earlier head's process may still fetch what it has
constexpr auto another_job_patience = std::chrono::seconds(5);  // between two looks at a device that others use
constexpr std::int64_t failures_allowed = 2;                    // in a row, of one device
constexpr double calibration_limit_s = 900;

/// A process that nobody has waited for yet is gone, too: nobody waits for orphans in many containers.
bool is_alive(pid_t process) {
  if (::kill(process, 0) != 0) return false;
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  const auto state = text.find_last_of(')') + 2;
  return state >= text.size() || (text[state] != 'Z' && text[state] != 'X');
}

/// Above that of every earlier calibration, also of another head.
std::int64_t calibration_start() { return static_cast<std::int64_t>(seconds_now() * 1000); }

/// A device's calibration on its host has the same name for every head.
std::string calibration_name(std::string device) {
  std::ranges::replace(device, ':', '-');
  return "calibration-" + device;
}

/// The least time of a calibration's table.
std::optional<double> calibrated_time(const fs::path& back) {
  std::error_code error;
  if (!fs::exists(back / "table.csv", error)) return std::nullopt;
  const auto sheet = read_sheet(back / "table.csv");
  std::optional<double> best;
  for (const auto& row : sheet.rows)
    if (const auto time = time_us(sheet, row); time && (!best || *time < *best)) best = time;
  return best;
}

class Attempt {
 public:
  explicit Attempt(const AttemptRequest& request)
      : request_(request),
        folder_(request.folder),
        plan_(read_plan(folder_.plan())),
        lock_(folder_.shard(request.shard) / "lock", shard_patience),
        log_(read_attempts(folder_.attempts_of(request.shard))) {}

  AttemptEnd run() {
    if (log_.state != ShardState::pending) return finish(log_.state);
    if (const auto end = take_up()) return *end;
    if (const auto end = adopt()) return *end;
    while (failed_tries() < plan_.tries) {
      const auto lease = wait_for_slot();
      if (!lease) return must_end() != GoOn::yes ? AttemptEnd::stopped : AttemptEnd::no_host;
      if (!is_calibrated(*lease)) continue;
      if (is_over()) return AttemptEnd::stopped;  // calibrating takes time
      if (const auto end = try_on(*lease, Begin::anew)) return *end;
    }
    return finish(ShardState::failed);
  }

 private:
  enum class Begin : std::uint8_t { anew, adopting };

  HostLink link_to(const SlotLease& lease) const {
    return {plan_.hosts[plan_.slots[lease.number()].host], plan_.agent_settings()};
  }

  std::string shard_name() const { return std::to_string(request_.shard); }

  GoOn must_end() const {
    if (request_.head != 0 && !is_alive(request_.head)) return GoOn::leave;
    if (folder_.is_stopping()) return GoOn::stop;
    return GoOn::yes;
  }

  bool is_over() const { return must_end() != GoOn::yes || plan_.is_out_of_time(); }

  std::int64_t failed_tries() const {
    return std::ranges::count_if(log_.tries, [](const Try& entry) {
      return entry.verdict == to_string(JobVerdict::hosts_fault) ||
             entry.verdict == to_string(JobVerdict::hosts_bad_word) ||
             entry.verdict == to_string(JobVerdict::shards_fault);
    });
  }

  bool was_tried_on(const Slot& slot) const {
    return std::ranges::any_of(log_.tries, [&](const Try& entry) { return entry.host == plan_.hosts[slot.host].name; });
  }

  /// The slots in the order in which they are tried: the own seat first, hosts on which this shard failed last.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) slots.push_back((request_.seat + i) % plan_.slots.size());
    std::stable_partition(slots.begin(), slots.end(), [&](std::size_t i) { return !was_tried_on(plan_.slots[i]); });
    return slots;
  }

  /// A free device on which this shard has not failed, or where there are no others, any free one.
  std::unique_ptr<SlotLease> wait_for_slot() const {
    const auto slots = order();
    for (; !is_over(); std::this_thread::sleep_for(look_again)) {
      const auto states = read_slots(folder_, plan_.slots.size());
      bool another_is_busy = false;
      for (const auto i : slots) {
        if (!states[i].set_aside.empty()) continue;
        if (was_tried_on(plan_.slots[i]) && another_is_busy) break;
        if (is_used_by_others(i)) {
          another_is_busy = true;
          continue;
        }
        auto lease = SlotLease::take(folder_, i);
        if (lease && lease->state().set_aside.empty()) return lease;
        another_is_busy = true;
      }
      if (std::ranges::none_of(states, [](const SlotState& state) { return state.set_aside.empty(); })) return nullptr;
    }
    return nullptr;
  }

  bool is_used_by_others(std::size_t slot) const {
    const auto found = others_job_seen_.find(slot);
    return found != others_job_seen_.end() && SteadyClock::now() < found->second + another_job_patience;
  }

  /// What an earlier process took of this shard, if it was killed before it wrote that down.
  std::optional<AttemptEnd> take_up() {
    const auto taken = folder_.taken_without_a_word(request_.shard, log_);
    if (taken.empty()) return std::nullopt;
    const auto judgement = taken == folder_.back_of(request_.shard) ? Judgement{} : judge(read_job_end(taken));
    Try entry{.host = log_.host,
              .device = log_.device,
              .verdict = std::string(to_string(judgement.verdict)),
              .why = judgement.why};
    log_.host.clear();
    note_store(entry, taken.filename().string(), judgement.verdict);
    log_.tries.push_back(std::move(entry));
    if (judgement.verdict == JobVerdict::done) return finish(ShardState::done);
    if (judgement.verdict == JobVerdict::shards_fault) return finish(ShardState::failed);
    save();
    return std::nullopt;
  }

  /// The host on which an earlier head left the shard may still run it, or have its results.
  std::optional<AttemptEnd> adopt() {
    if (log_.host.empty()) return std::nullopt;
    const auto slot = std::ranges::find_if(plan_.slots, [&](const Slot& each) {
      return plan_.hosts[each.host].name == log_.host && each.device == log_.device;
    });
    if (slot == plan_.slots.end()) return std::nullopt;
    const auto number = static_cast<std::size_t>(slot - plan_.slots.begin());
    std::unique_ptr<SlotLease> lease;
    while (!(lease = SlotLease::take(folder_, number)) && !is_over()) std::this_thread::sleep_for(look_again);
    if (!lease) return AttemptEnd::stopped;
    const auto state = fence_job(link_to(*lease), job());
    if (!state) lease->set_aside("not reachable: an earlier process left shard " + shard_name() + " there");
    if (!state || *state == "absent") return std::nullopt;
    return try_on(*lease, Begin::adopting);
  }

  OnProgress progress_of(SlotLease& lease) const {
    return [this, &lease](std::int64_t shapes) {
      if (shapes != lease.state().now_shapes) {
        lease.state().now_shapes = shapes;
        lease.save();
      }
      return must_end();
    };
  }

  void note_beginning(SlotLease& lease, const std::string& what) const {
    lease.state().now = what;
    lease.state().now_since_s = seconds_now();
    lease.state().now_shapes = 0;
    lease.save();
  }

  static void note_end(SlotLease& lease) {
    lease.state().busy_s += seconds_now() - lease.state().now_since_s;
    lease.state().now.clear();
    lease.save();
  }

  // Calibration

  bool is_due(SlotLease& lease) const {
    const auto& known = lease.state().calibrations;
    return known.empty() || seconds_now() - known.back().at_s > plan_.calibration.interval_s;
  }

  /// Whether the device can be used. If not, it is set aside, and what it did since it was last right is done again.
  bool is_calibrated(SlotLease& lease) {
    if (plan_.calibration_arguments.empty()) return true;
    const bool was_measured = is_due(lease);
    if (was_measured && !calibrate(lease)) return false;
    const auto why = why_far_off(read_slots(folder_, plan_.slots.size()), lease.number(), plan_.calibration);
    if (!why.empty()) {
      set_aside_with_its_shards(lease, why);
      return false;
    }
    if (was_measured) {
      lease.state().since_calibration.clear();
      lease.save();
    }
    return true;
  }

  void set_aside_with_its_shards(SlotLease& lease, const std::string& why) const {
    for (const auto shard : lease.state().since_calibration) folder_.doubt(shard);
    lease.state().since_calibration.clear();
    lease.set_aside(why);
  }

  bool calibrate(SlotLease& lease) {
    const auto& device = plan_.slots[lease.number()].device;
    const auto inputs = folder_.path() / "slots" / fmt::format("{}-inputs", lease.number());
    const RemoteJob job{.name = calibration_name(device),
                        .start = calibration_start(),
                        .back = folder_.path() / "slots" / fmt::format("{}-calibration", lease.number()),
                        .lost_s = plan_.lost_s,
                        .limit_s = calibration_limit_s};
    note_beginning(lease, "calibration");
    make_calibration_inputs(folder_, plan_, device, inputs);
    const auto link = link_to(lease);
    auto end = start_job(link, job, inputs);
    if (!end) end = wait_for_job(link, job, progress_of(lease));
    note_end(lease);
    if (!end || must_end() != GoOn::yes || waits_for_others(lease, *end)) return false;
    return note_calibration(lease, *end, job.back);
  }

  static bool note_calibration(SlotLease& lease, const JobEnd& end, const fs::path& back) {
    const auto judgement = judge(end);
    const auto time = judgement.verdict == JobVerdict::done ? calibrated_time(back) : std::nullopt;
    if (!time) {
      const auto& why = judgement.why.empty() ? end.why : judgement.why;
      lease.set_aside("its calibration failed: " + why);
      return false;
    }
    lease.state().calibrations.push_back({.at_s = seconds_now(), .time_us = *time});
    lease.save();
    return true;
  }

  // One try

  /// Nothing if the shard has to be tried elsewhere.
  std::optional<AttemptEnd> try_on(SlotLease& lease, Begin begin) {
    const auto start = SteadyClock::now();
    Try entry{.host = plan_.hosts[plan_.slots[lease.number()].host].name,
              .device = plan_.slots[lease.number()].device,
              .begun_utc = utc_now()};
    log_.host = entry.host;
    log_.device = entry.device;
    if (begin == Begin::anew) ++log_.starts;
    save();
    note_beginning(lease, shard_name());
    const auto end = begin == Begin::anew ? run_there(lease) : wait_there(lease);
    note_end(lease);
    if (!end) return AttemptEnd::stopped;
    if (waits_for_others(lease, *end)) {
      log_.host.clear();
      save();
      return std::nullopt;
    }
    entry.seconds = seconds_since(start);
    auto judgement = judge(*end);
    if (judgement.verdict == JobVerdict::hosts_bad_word && is_right_after_all(lease, *end))
      judgement = judge_trusted(*end);
    return conclude(lease, std::move(entry), judgement);
  }

  /// A job of another run, or one that an earlier head left there: beside it, nothing is measured.
  bool waits_for_others(const SlotLease& lease, const JobEnd& end) {
    if (end.kind != JobEnd::Kind::waiting) return false;
    others_job_seen_[lease.number()] = SteadyClock::now();
    return true;
  }

  RemoteJob job() const {
    return {.name = shard_name(),
            .start = log_.starts,
            .back = incoming(),
            .lost_s = plan_.lost_s,
            .limit_s = static_cast<double>(plan_.limit_s)};
  }

  fs::path incoming() const { return folder_.shard(request_.shard) / "incoming"; }

  std::optional<JobEnd> run_there(SlotLease& lease) {
    const auto inputs = folder_.shard(request_.shard) / "inputs";
    make_shard_inputs(folder_, plan_, request_.shard, plan_.slots[lease.number()].device, inputs);
    const auto refused = start_job(link_to(lease), job(), inputs);
    std::error_code error;
    fs::remove_all(inputs, error);
    return refused ? refused : wait_there(lease);
  }

  std::optional<JobEnd> wait_there(SlotLease& lease) const {
    return wait_for_job(link_to(lease), job(), progress_of(lease));
  }

  /// Candidates that crash may be at fault themselves: then the calibration works.
  bool is_right_after_all(SlotLease& lease, const JobEnd& end) {
    return plan_.calibration_arguments.empty() ? end.right > 0 : calibrate(lease);
  }

  std::optional<AttemptEnd> conclude(SlotLease& lease, Try entry, const Judgement& judgement) {
    entry.verdict = to_string(judgement.verdict);
    entry.why = judgement.why;
    if (judgement.verdict == JobVerdict::done) return accept(lease, std::move(entry));
    keep_what_counts(entry, judgement.verdict);
    log_.tries.push_back(std::move(entry));
    const bool may_be_there = judgement.verdict == JobVerdict::hosts_fault && judgement.sets_aside;
    if (!may_be_there) log_.host.clear();
    save();
    if (judgement.verdict == JobVerdict::stopped) return AttemptEnd::stopped;
    if (judgement.verdict == JobVerdict::shards_fault) return finish(ShardState::failed);
    blame(lease, judgement);
    return std::nullopt;
  }

  AttemptEnd accept(SlotLease& lease, Try entry) {
    const auto back = folder_.back_of(request_.shard);
    std::error_code error;
    fs::remove_all(back, error);
    fs::rename(incoming(), back, error);
    if (error) fail(ErrorCode::io, "cannot keep what came back in {}: {}", back.string(), error.message());
    auto& state = lease.state();
    ++state.shards_done;
    state.shapes_done += shapes_in(back);
    state.failures_in_row = 0;
    state.since_calibration.push_back(request_.shard);
    lease.save();
    log_.tries.push_back(std::move(entry));
    log_.host.clear();
    return finish(ShardState::done);
  }

  static std::int64_t shapes_in(const fs::path& back) {
    return static_cast<std::int64_t>(read_shapes(back / "shapes.csv", {}).shapes.size());
  }

  /// The store of a try that failed, for the next one.
  void keep_what_counts(Try& entry, JobVerdict verdict) const {
    std::error_code error;
    const auto kept = folder_.try_of(request_.shard, log_.tries.size() + 1);
    fs::remove_all(kept, error);
    fs::rename(incoming(), kept, error);
    note_store(entry, kept.filename().string(), verdict);
  }

  void note_store(Try& entry, const std::string& name, JobVerdict verdict) const {
    std::error_code error;
    const bool counts = verdict != JobVerdict::hosts_bad_word && verdict != JobVerdict::done;
    if (counts && fs::exists(folder_.shard(request_.shard) / name / "trials.db", error))
      entry.store = name + "/trials.db";
  }

  void blame(SlotLease& lease, const Judgement& judgement) const {
    ++lease.state().failures;
    ++lease.state().failures_in_row;
    lease.save();
    if (judgement.sets_aside || lease.state().failures_in_row >= failures_allowed) lease.set_aside(judgement.why);
  }

  AttemptEnd finish(ShardState state) {
    log_.state = state;
    save();
    folder_.note_finished(request_.shard);
    return state == ShardState::done ? AttemptEnd::done : AttemptEnd::failed;
  }

  void save() const { write_attempts(folder_.attempts_of(request_.shard), log_); }

  const AttemptRequest& request_;
  RunFolder folder_;
  FleetPlan plan_;
  FileLock lock_;
  AttemptLog log_;
  std::map<std::size_t, SteadyClock::time_point> others_job_seen_;  // by slot
};

}  // namespace

AttemptEnd attempt_shard(const AttemptRequest& request) { return Attempt(request).run(); }

void judge_calibrations(const fs::path& path) {
  const RunFolder folder(path);
  const auto plan = read_plan(folder.plan());
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const auto slots = read_slots(folder, plan.slots.size());
    if (!slots[i].set_aside.empty()) continue;
    const auto why = why_far_off(slots, i, plan.calibration);
    const auto lease = why.empty() ? nullptr : SlotLease::take(folder, i);
    if (!lease) continue;
    for (const auto shard : lease->state().since_calibration) folder.doubt(shard);
    lease->state().since_calibration.clear();
    lease->set_aside(why);
  }
}

}  // namespace gemmtune
