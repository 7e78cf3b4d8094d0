#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>

#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/cli/bench/bench_options.h"
#include "gemmtune/cli/bench/bench_tables.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/fleet/fleet_tune.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/signal_watch.h"
#include "gemmtune/cli/tune/progress.h"
#include "gemmtune/cli/tune/summary.h"
#include "gemmtune/cli/tune/triton_output.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/cli/tune/tune_options.h"
#include "gemmtune/cli/tune/tune_recorder.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/cli/worker/worker_factory.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/log.h"
#include "gemmtune/device/device.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/trials/known_stores.h"

namespace gemmtune {
namespace {

void say(const TuneInputs& inputs) {
  for (const auto& note : inputs.notes) spdlog::info("{}", note);
  for (const auto& line : inputs.rejected) spdlog::warn("{}: {}", line.where, line.reason);
}

/// A list without any usable line is bad input. A list with some bad lines is a run with failures.
void insist_on_some_line(const TuneInputs& inputs) {
  const bool none = inputs.shapes.empty() && inputs.too_large.empty() && inputs.already_tuned.empty();
  if (none && !inputs.rejected.empty())
    fail(ErrorCode::input, "{}: {}", inputs.rejected.front().where, inputs.rejected.front().reason);
}

/// The command line as typed, for the record of the run.
std::string own_command_line() {
  auto text = read_file("/proc/self/cmdline");
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

/// One run over a given list of shapes.
class TuneRun {
 public:
  TuneRun(const TuneFlags& flags, const Roster& roster, std::vector<DeviceInfo> devices, TunePlan plan,
          TuneInputs inputs)
      : flags_(flags),
        roster_(roster),
        devices_(std::move(devices)),
        plan_(std::move(plan)),
        triton_(flags, inputs.format, devices_.front().arch),
        summary_{.inputs = std::move(inputs),
                 .workers = devices_.size(),
                 .list_already_tuned = flags.verbose,
                 .width = stdout_width()} {}

  int run() {
    const SignalWatch signals([this](int) { stop(); });
    const auto start = SteadyClock::now();
    const auto stopped_by = tune_shapes();
    summary_.wall_s = seconds_since(start);
    const auto& output = summary_.inputs.output;
    const auto& choice = summary_.inputs.choice;
    print_text("{}\nwritten to {}, trials in {}\n", summary_text(summary_), output.string(),
               store_path(flags_).string());
    if (triton_.writes()) print_text("{}", triton_.write(read_tuned_table(output, choice.format, choice.schema)));
    if (stopped_by) throw *stopped_by;
    if (const auto signal = signals.caught()) return 128 + *signal;
    const auto counts = count_shapes(summary_);
    return counts.failed + counts.not_reached + counts.rejected == 0 ? 0 : 1;
  }

 private:
  void stop() {
    stop_ = true;
    spdlog::warn("stopping: finished shapes are being written; interrupt again to end at once");
  }

  std::optional<Error> tune_shapes() {
    auto store = TrialStore::open(store_path(flags_));
    remember();
    Progress progress(plan_.shapes.size(), progress_style_of_stderr());
    TuneRecorder recorder(devices_.front(), outputs(store), progress, stop_);
    recorder.begin(own_command_line(), plan_.shapes.size());
    TuneReport report{};
    if (!plan_.shapes.empty()) report = tune(plan_, summary_.workers, workers(), store, recorder, stop_);
    summary_.results = std::move(report.results);
    if (!report.stopped_by) summary_.packing = packing_gains();
    recorder.end(stop_ || report.stopped_by ? "stopped" : report.is_out_of_time ? std::string(out_of_time) : "done");
    summary_.remarks = std::move(report.remarks);
    summary_.store = store_path(flags_).string();
    if (!report.stopped_by) summary_.quarantined = quarantined_of(plan_.shapes, devices_.front(), store);
    summary_.damaged = store.damaged();
    return report.stopped_by;
  }

  /// Only in a run that had time for all of its shapes. Without this look, the run is as good.
  std::vector<PackingGain> packing_gains() const {
    if (flags_.no_packing_look) return {};
    const auto worth = worth_a_look_at_packing(summary_.results);
    const bool has_time = !stop_ && std::ranges::all_of(summary_.results, &ShapeResult::reached);
    if (worth.empty() || !has_time) return {};
    try {
      const auto evaluator = workers()(0);
      return look_at_packing(*evaluator, worth, plan_, stop_);
    } catch (const Error& error) {
      spdlog::debug("what packed weights would gain is not known: {}", error.what());
      return {};
    }
  }

  /// For `gemmtune status`. Tuning also works without a home folder.
  void remember() const {
    try {
      remember_store(store_path(flags_));
    } catch (const std::exception& error) {
      spdlog::debug("gemmtune status will not find this run: {}", error.what());
    }
  }

  /// Triton's configuration files have a parameter for split K, so that a search for them includes it.
  Selection selection() const {
    Selection selection{.families = plan_.families,
                        .split_k = flags_.split_k || triton_.writes(),
                        .most_of_a_family = flags_.most_candidates};
    if (triton_.adjusts())
      selection.adjust = [this](const Problem& problem, std::vector<Candidate> candidates) {
        return triton_.adjusted(problem, std::move(candidates));
      };
    return selection;
  }

  WorkerFactory workers() const {
    std::vector<std::string> ids;
    for (const auto& device : devices_) ids.push_back(device_id(device));
    return worker_factory({.devices = std::move(ids),
                           .candidate_timeout_s = flags_.timeout_s,
                           .in_process = flags_.in_process,
                           .selection = selection(),
                           .workers = roster_.workers(),
                           .absent = roster_.absent(),
                           .roofline = known_roofline()});
  }

  /// Tuning also works without one.
  std::optional<Roofline> known_roofline() const {
    try {
      return remembered_roofline(rooflines_folder(), devices_.front());
    } catch (const std::exception& error) {
      spdlog::warn("times are not held against a roofline: {}", error.what());
      return std::nullopt;
    }
  }

  static ProfileKind profile_kind(const TuneInputs& inputs) {
    return {.format = inputs.choice.format, .states_problems = states_problems(inputs.table.columns)};
  }

  TuneOutputs outputs(TrialStore& store) const {
    const auto& inputs = summary_.inputs;
    return {.table = shared_table(flags_, devices_.front(), inputs.choice),
            .profile = ProfileFile(flags_.profile_file, profile_kind(inputs), devices_.front()),
            .store = store,
            .library_versions = roster_.versions(),
            .policy = policy_text(plan_.confirm)};
  }

  const TuneFlags& flags_;
  const Roster& roster_;
  std::vector<DeviceInfo> devices_;
  TunePlan plan_;
  TritonOutput triton_;
  RunSummary summary_;
  std::atomic<bool> stop_{false};
};

class TuneCommand final : public Command {
 public:
  void declare(Options& options) override { declare_tune_flags(options, flags_); }

  int run() override {
    if (flags_.verbose) start_logging(Verbosity::verbose);
    if (flags_.update_improved && !flags_.compare) fail(ErrorCode::usage, "--update_improved requires --compare");
    if (!flags_.run_config) insist_on_a_list(flags_);
    insist_on_sound(flags_.fleet);
    if (flags_.fleet.is_used()) return tune_on_fleet(flags_, own_command_line());
    if (flags_.shape_grouped) spdlog::info("--shape_grouped: all candidates of a shape run on one device anyway");
    if (flags_.run_config) return bench_table(bench_flags());
    return flags_.compare ? tune_and_compare() : tune(flags_);
  }

 private:
  int tune(const TuneFlags& flags) const {
    auto devices = choose_devices(flags.device, flags.mp, list_devices());
    insist_on_measurable(flags, devices.front());
    const Roster roster({flags.workers, flags.libtype, device_id(devices.front())});
    auto plan = plan_of(flags, roster.nameable());
    note_devices(devices);
    auto inputs = read_inputs(flags, devices.front(), families_judge(roster));
    say(inputs);
    insist_on_some_line(inputs);
    plan.shapes = inputs.shapes;
    plan.compare_devices = devices.size() > 1;
    return TuneRun(flags, roster, std::move(devices), std::move(plan), std::move(inputs)).run();
  }

  /// The table of --run_config, those that the environment names, or the one that would be written.
  BenchFlags bench_flags() const {
    BenchFlags bench{.tune = flags_, .run_config = flags_.run_config};
    const auto output = tuned_paths(flags_).front();
    const bool names_none = bench.run_config->empty() && read_environment(process_variables()).tables.empty();
    if (names_none && std::filesystem::exists(output)) bench.run_config = output.string();
    return bench;
  }

  /// Tunes into a candidate beside the table, times both in turns, and writes into the table only what is better.
  int tune_and_compare() const {
    const auto output = tuned_paths(flags_).front();
    auto candidate = flags_;
    candidate.tune_file = std::filesystem::path(output).replace_extension(".candidate.csv").string();
    candidate.store = store_path(flags_).string();
    const int tuned = tune(candidate);
    if (!holds_text(candidate.tune_file)) return tuned;
    if (!holds_text(output)) write_file_atomically(output, first_line(candidate.tune_file));
    candidate.format = format_of_tables(candidate);
    const int compared = compare_tables({.tune = candidate,
                                         .compare = {output.string(), candidate.tune_file},
                                         .update_improved = flags_.update_improved,
                                         .min_improvement_pct = flags_.min_improvement_pct});
    return tuned != 0 ? tuned : compared;
  }

  static bool holds_text(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::file_size(path, error) > 0 && !error;
  }

  static std::string first_line(const std::filesystem::path& path) {
    const auto text = read_file(path);
    return text.substr(0, text.find('\n')) + '\n';
  }

  /// What the list says, since the tables' names may not say it; "" if the tables' rows do.
  static std::string format_of_tables(const TuneFlags& flags) {
    if (states_problems(columns_from_header(parse_csv(first_line(flags.tune_file)).header))) return {};
    return std::string(to_string(format_for(flags, list_of(flags)).format));
  }

  void note_devices(const std::vector<DeviceInfo>& devices) const {
    for (const auto& device : devices)
      spdlog::info("tuning on {}: {} ({}, cu_num {})", device_id(device), device.name, device.arch, device.cu_num);
    const auto workers = static_cast<std::int64_t>(devices.size());
    if (flags_.mp.value_or(0) > workers)
      spdlog::info("--mp {}: there is one worker for each device, which makes {}", *flags_.mp, workers);
  }

  TuneFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_tune_command() { return std::make_unique<TuneCommand>(); }

}  // namespace gemmtune
