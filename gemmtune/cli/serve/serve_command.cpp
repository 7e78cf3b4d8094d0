// Tunes in the background what running programs have asked for and no table has.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/duration.h"
#include "gemmtune/cli/serve/device_load.h"
#include "gemmtune/cli/serve/tuning_child.h"
#include "gemmtune/cli/serve/waiting_shapes.h"
#include "gemmtune/cli/signal_watch.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/log.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

constexpr double idle_share = 0.1;  // a device that is busy for less of the time counts as idle

struct ServeFlags {
  std::vector<std::string> captures{};
  std::string table{};
  std::string device{};
  std::string interval{"5s"};
  double share_pct{100};
  bool only_idle{};
  bool once{};
  bool verbose{};
  std::vector<std::string> tune_options{};
};

double interval_s(const ServeFlags& flags) {
  if (const auto seconds = parse_duration(flags.interval)) return *seconds;
  fail(ErrorCode::usage, "--interval: found '{}', expected a duration, as 5s or 1m", flags.interval);
}

/// The lowest priority for processors and disks, for this thread and the processes that it starts. A system that
/// refuses it goes on without.
void step_back() {
  constexpr int of_this_thread = 1;        // IOPRIO_WHO_PROCESS
  constexpr int only_when_idle = 3 << 13;  // IOPRIO_CLASS_IDLE
  constexpr int lowest = 19;
  if (::setpriority(PRIO_PROCESS, 0, lowest) != 0) spdlog::warn("the priority cannot be lowered");
  ::syscall(SYS_ioprio_set, of_this_thread, 0, only_when_idle);
}

/// Waits that a signal cuts short.
class Pause {
 public:
  void end() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

  void wait(double seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_over_.load(); });
  }

  const std::atomic<bool>& is_over() const { return is_over_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> is_over_{false};
};

std::vector<DeviceInfo> with_load_known(std::vector<DeviceInfo> devices) {
  for (const auto& device : devices)
    if (device.kind != DeviceKind::cpu && !load_of(device)->share())
      fail(ErrorCode::usage, "--only-idle: this machine does not tell how busy {} is", device_id(device));
  return devices;
}

class Serving {
 public:
  Serving(const ServeFlags& flags, std::vector<DeviceInfo> devices)
      : flags_(flags),
        interval_s_(interval_s(flags)),
        devices_(flags.only_idle ? with_load_known(std::move(devices)) : std::move(devices)),
        why_outdated_(families_judge(Roster())),
        table_(shared_table({.tune_file = flags.table}, devices_.front(),
                            {.states_problems = true, .is_mixed = true, .schema = Schema::gemmtune})) {
    for (const auto& device : devices_) loads_.push_back(load_of(device));
  }

  int run() {
    const SignalWatch signals([this](int) { pause_.end(); });
    step_back();
    begin();
    while (!pause_.is_over()) {
      const auto shape = next_shape();
      if (shape && is_idle())
        tune(*shape);
      else if (!shape && flags_.once)
        break;
      else
        pause_.wait(interval_s_);
    }
    const auto signal = signals.caught();
    return signal ? 128 + *signal : 0;
  }

 private:
  /// Programs that watch the table find it, without rows.
  void begin() {
    std::error_code error;
    const auto size = std::filesystem::file_size(table_.path(), error);
    if (error || size == 0) table_.write();
    spdlog::info("watching {} for {} ({}, cu_num {}); rows are published in {}", join(flags_.captures, ", "),
                 device_id(devices_.front()), devices_.front().arch, devices_.front().cu_num, table_.path().string());
  }

  std::vector<CapturedProblem> captured() {
    CaptureFile sum;
    for (const auto& path : flags_.captures) {
      try {
        sum = merged(std::move(sum), read_capture(std::filesystem::path(path)).rows);
      } catch (const Error& error) {
        warn_once(error.what());
      }
    }
    return std::move(sum.rows);
  }

  void warn_once(const std::string& text) {
    if (text != std::exchange(last_warning_, text)) spdlog::warn("{}", text);
  }

  std::optional<Shape> next_shape() {
    const TunedDevice device{devices_.front().arch, devices_.front().cu_num};
    const PublishedRows published{.table = table_.read(),
                                  .is_outdated = [&](const TunedRow& row) { return !why_outdated_(row).empty(); }};
    for (auto& shape : waiting_shapes(captured(), published, device))
      if (!attempts_.is_given_up(shape.problem) && !row_in(published.table, shape.problem)) return std::move(shape);
    return std::nullopt;
  }

  /// Looks at every device, so that each load covers the time since the last look.
  bool is_idle() {
    if (!flags_.only_idle) return true;
    bool idle = true;
    for (auto& load : loads_) idle = load->share().value_or(1) < idle_share && idle;
    return idle;
  }

  void tune(const Shape& shape) {
    const auto text = to_string(shape.problem);
    spdlog::info("tuning {}", text);
    const auto end = tune_in_child(order(shape), pause_.is_over());
    std::error_code ignored;
    std::filesystem::remove(list_path(), ignored);
    if (pause_.is_over()) return;
    if (const auto row = row_in(table_.read(), shape.problem))
      spdlog::info("{}: {} {}, {:.4g} us, after {:.1f} s", text, row->libtype, row->kernel_name, row->time_us,
                   end.took_s);
    else
      note_failure(shape.problem, end);
    rest_after(end.took_s);
  }

  void note_failure(const Problem& problem, const TuningEnd& end) {
    attempts_.note_failure(problem);
    const auto why = end.why_failed.empty() ? "the tuner wrote no row" : end.why_failed;
    spdlog::warn("{}: {}{}", to_string(problem), why, attempts_.is_given_up(problem) ? "; it is given up" : "");
  }

  /// So that tuning takes the agreed share of the time.
  void rest_after(double worked_s) {
    const double share = flags_.share_pct / 100;
    if (share < 1) pause_.wait(worked_s * (1 - share) / share);
  }

  TuningOrder order(const Shape& shape) const {
    write_file_atomically(list_path(), shape_list_text({shape}));
    std::vector<std::string> ids;
    for (const auto& device : devices_) ids.push_back(device_id(device));
    return {.list = list_path(), .table = table_.path(), .devices = join(ids, ","), .options = flags_.tune_options};
  }

  std::filesystem::path list_path() const {
    return fmt::format("{}.{}.waiting.csv", table_.path().string(), ::getpid());
  }

  /// The row that serves the problem. Outdated rows do not.
  std::optional<TunedRow> row_in(const TunedTable& table, const Problem& problem) const {
    const TunedRow wanted{.gfx = devices_.front().arch, .cu_num = devices_.front().cu_num, .problem = problem};
    auto row = find_tuned(table, wanted);
    return row && why_outdated_(*row).empty() ? row : std::nullopt;
  }

  const ServeFlags& flags_;
  double interval_s_;
  std::vector<DeviceInfo> devices_;
  std::vector<std::unique_ptr<DeviceLoad>> loads_;
  RowJudge why_outdated_;
  SharedTable table_;
  Attempts attempts_;
  Pause pause_;
  std::string last_warning_;
};

class ServeCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--watch", flags_.captures).required().one_value_each();
    options.add_option("-o,--tune_file,--tune-file,--tuned_file,--tuned-file", flags_.table).required();
    options.add_option("--device", flags_.device);
    options.add_option("--interval", flags_.interval);
    options.add_option("--share", flags_.share_pct).in_range(1, 100);
    options.add_flag("--only_idle,--only-idle", flags_.only_idle);
    options.add_flag("--once", flags_.once);
    options.add_flag("-v,--verbose", flags_.verbose);
    options.add_option("tune_options", flags_.tune_options);
  }

  int run() override {
    if (flags_.verbose) start_logging(Verbosity::verbose);
    return Serving(flags_, choose_devices(flags_.device, std::nullopt, list_devices())).run();
  }

 private:
  ServeFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace gemmtune
