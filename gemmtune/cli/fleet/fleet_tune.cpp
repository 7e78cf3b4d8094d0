#include "gemmtune/cli/fleet/fleet_tune.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <set>

#include "gemmtune/cli/fleet/fleet_arguments.h"
#include "gemmtune/cli/fleet/fleet_session.h"
#include "gemmtune/cli/fleet/fleet_summary.h"
#include "gemmtune/cli/fleet/profile_rows.h"
#include "gemmtune/cli/fleet/slurm_session.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/tune/summary.h"
#include "gemmtune/cli/tune/triton_output.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/trials/known_stores.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

DeviceKind kind_of(const std::string& name) {
  for (const auto kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::hip})
    if (kind_name(kind) == name) return kind;
  fail(ErrorCode::input, "a host has a device of unknown kind '{}'", name);
}

DeviceInfo info_of(const FleetDevice& device) {
  return {.kind = kind_of(device.kind),
          .name = device.name,
          .arch = device.arch,
          .cu_num = device.cu_num,
          .driver = device.driver};
}

/// Nobody reads more lines of a summary: the table and the store have them all.
constexpr std::size_t most_shapes_shown = 1000;

fs::path run_folder_of(const TuneFlags& flags) { return tuned_paths(flags).front().replace_extension(".fleet"); }

/// Writes what comes back into the outputs that the same command writes on one machine.
class TuneTaker final : public FleetTaker {
 public:
  TuneTaker(const TuneFlags& flags, std::string command_line) : flags_(flags), command_line_(std::move(command_line)) {}

  std::vector<Shape> shapes_for(const FleetDevice& device) override {
    device_ = info_of(device);
    inputs_ = read_inputs(flags_, device_, families_judge(Roster()));
    for (const auto& note : inputs_.notes) spdlog::info("{}", note);
    for (const auto& line : inputs_.rejected) spdlog::warn("{}: {}", line.where, line.reason);
    const bool none = inputs_.shapes.empty() && inputs_.too_large.empty() && inputs_.already_tuned.empty();
    if (none && !inputs_.rejected.empty())
      fail(ErrorCode::input, "{}: {}", inputs_.rejected.front().where, inputs_.rejected.front().reason);
    return inputs_.shapes;
  }

  void begin(const FleetPlan& plan) override {
    store_.emplace(TrialStore::open(store_path(flags_)));
    table_.emplace(shared_table(flags_, device_, inputs_.choice));
    table_->write();
    run_ = store_->begin_run(command_line_, plan.shapes);
    store_->add_file(run_, {"table", fs::absolute(table_->path()).string()});
    store_->add_file(run_, {"devices", fs::absolute(devices_file(run_folder_of(flags_))).string()});
    remember();
  }

  void take(const fs::path& back) override {
    take_rows(back);
    take_store(back / "trials.db");
    take_problems(back);
    if (fs::exists(back / "profile.csv")) profiles_.push_back(back / "profile.csv");
    note_run("running");
  }

  void take_part(const fs::path& back) override {
    take_rows(back);
    take_store(back / "trials.db");
  }

  void take_trials(const fs::path& store) override { take_store(store); }

  void finish(const std::string& state) {
    if (!store_) return;
    table_->finish();
    if (!flags_.profile_file.empty()) add_profiles(flags_.profile_file, profiles_);
    note_run(state);
  }

  void write_triton() const {
    if (flags_.triton_json.empty()) return;
    const TritonOutput triton(flags_, inputs_.format, device_.arch);
    print_text("{}", triton.write(read_tuned_table(inputs_.output, inputs_.choice.format, inputs_.choice.schema)));
  }

  /// Of the shapes that were to be tuned.
  RunSummary summary(const FleetOutcome& outcome) const {
    const bool is_short = inputs_.shapes.size() <= most_shapes_shown;
    RunSummary summary{.inputs = inputs_,
                       .store = store_path(flags_).string(),
                       .lists_winners = is_short,
                       .knows_ties = false,
                       .list_already_tuned = flags_.verbose,
                       .width = stdout_width()};
    if (!store_) return summary;
    summary.results = fleet_results({.inputs = inputs_,
                                     .store = *store_,
                                     .run = run_,
                                     .device = device_,
                                     .tuned = tuned_,
                                     .done = done_,
                                     .why_shard = shapes_of_failed(RunFolder(run_folder_of(flags_)), outcome),
                                     .why_not_reached = "not reached: " + why_not_reached(outcome, flags_.budget),
                                     .with_trials = is_short});
    summary.quarantined = quarantined_of(inputs_.shapes, device_, *store_);
    summary.damaged = store_->damaged();
    return summary;
  }

  const TuneInputs& inputs() const { return inputs_; }

 private:
  void note_run(const std::string& state) {
    const auto failed = std::ranges::count_if(done_, [&](const auto& problem) { return !tuned_.contains(problem); });
    store_->update_run(run_, static_cast<std::int64_t>(done_.size()), failed, state);
  }

  /// For `gemmtune status`, which also works without a home folder.
  void remember() const {
    try {
      remember_store(store_path(flags_));
    } catch (const std::exception& error) {
      spdlog::debug("gemmtune status will not find this run: {}", error.what());
    }
  }

  void take_rows(const fs::path& back) {
    if (!fs::exists(back / "table.csv")) return;
    auto table = read_tuned_table(back / "table.csv", inputs_.choice.format, Schema::gemmtune);
    for (auto& row : table.rows) {
      tuned_.insert_or_assign(row.problem, row);
      row.line.clear();  // it has the columns of another table
      table_->add(std::move(row));
    }
    write_table_at_times();
  }

  /// A large table takes long to write: it is written for at most a tenth of the time. What is not in it yet is in the
  /// run's folder.
  void write_table_at_times() {
    if (seconds_since(last_write_) < 10 * write_s_) return;
    write_s_ = 0;
    {
      const ScopedSeconds timed(write_s_);
      table_->write();
    }
    last_write_ = SteadyClock::now();
  }

  void take_problems(const fs::path& back) {
    for (const auto& shape : read_shapes(back / "shapes.csv", {}).shapes) done_.insert(shape.problem);
  }

  void take_store(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return;
    try {
      store_->absorb(path);
      take_results(path);
    } catch (const Error& why) {
      spdlog::warn("{} cannot be taken over: {}", path.string(), why.what());
    }
  }

  void take_results(const fs::path& path) {
    const auto other = TrialStore::open_read_only(path);
    const auto runs = other.runs();
    if (runs.empty()) return;
    for (const auto& result : other.results(runs.back().id)) store_->add_result(run_, result);
    for (const auto& line : other.last_lines(runs.back().id, 1))
      store_->add_line(run_, runs.back().host + ": " + line.text);
  }

  const TuneFlags& flags_;
  std::string command_line_;
  DeviceInfo device_;
  TuneInputs inputs_;
  std::optional<TrialStore> store_;
  std::optional<SharedTable> table_;
  std::int64_t run_{};
  std::set<Problem> done_;
  std::map<Problem, TunedRow> tuned_;
  std::vector<fs::path> profiles_;
  SteadyClock::time_point last_write_{SteadyClock::now()};
  double write_s_{};
};

FleetWork work_of(const TuneFlags& flags) {
  FleetWork work{.folder = run_folder_of(flags),
                 .arguments = tune_arguments(flags),
                 .calibration_arguments = tune_calibration_arguments(flags)};
  const auto list = list_of(flags);
  work.what = join(list.header, ",") + '\n';
  for (const auto& row : list.rows) work.what += row.raw + '\n';
  work.what += fmt::format("{} {} {} {} {}", flags.in_dtype, flags.out_dtype, flags.format, flags.all, flags.fresh);
  if (!flags.fresh) work.store = store_path(flags).string();
  if (!flags.budget.empty()) work.budget_s = duration_of("--budget", flags.budget);
  return work;
}

/// The shapes without knowing the device.
std::vector<Shape> listed_shapes(const TuneFlags& flags) {
  const auto list = list_of(flags);
  return read_shapes(list, defaults_of(format_for(flags, list))).shapes;
}

std::string state_after(const FleetOutcome& outcome) {
  if (outcome.unfinished.empty() && outcome.failed.empty()) return "done";
  return outcome.is_out_of_time ? std::string(out_of_time) : "stopped";
}

int report(TuneTaker& taker, const TuneFlags& flags, const FleetResult& result) {
  taker.finish(state_after(result.outcome));
  const auto summary = taker.summary(result.outcome);
  print_text("{}{}\nwritten to {}, trials in {}\n", summary_text(summary), shards_text(result.outcome, flags.budget),
             taker.inputs().output.string(), store_path(flags).string());
  taker.write_triton();
  if (result.signal) return 128 + *result.signal;
  const auto counts = count_shapes(summary);
  return counts.failed + counts.not_reached + counts.rejected == 0 && result.outcome.unfinished.empty() ? 0 : 1;
}

}  // namespace

int tune_on_fleet(const TuneFlags& flags, const std::string& command_line) {
  insist_on_tunable_elsewhere(flags);
  const auto work = work_of(flags);
  if (flags.fleet.dry_run) {
    show_fleet_plan(flags.fleet, work, listed_shapes(flags));
    return 0;
  }
  TuneTaker taker(flags, command_line);
  const auto result =
      flags.fleet.slurm ? run_slurm_session(flags.fleet, work, taker) : run_fleet_session(flags.fleet, work, taker);
  return report(taker, flags, result);
}

}  // namespace gemmtune
