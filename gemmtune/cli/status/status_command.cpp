#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/fleet/fleet_status.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/status/status_text.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/report/inputs.h"
#include "gemmtune/trials/known_stores.h"

namespace gemmtune {
namespace {

class StatusCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("stores", arguments_);
    options.add_flag("-a,--all", query_.all_runs);
    options.add_option("--lines", query_.lines).not_negative();
    options.add_flag("-w,--watch", watch_);
    options.add_option("--interval", interval_s_).in_range(0.1, 3600.0);
    options.add_flag("--json", json_);
    const auto hosts = options.add_option("--hosts", hosts_);
    options.add_option("--slurm", job_).excludes(hosts);
  }

  int run() override {
    if (!hosts_.empty()) return show_status_of_hosts(hosts_);
    if (!job_.empty()) return show_status_of_slurm(job_, static_cast<std::size_t>(query_.lines));
    auto statuses = look();
    show(statuses);
    while (watch_ && is_any_running(statuses)) {
      std::this_thread::sleep_for(std::chrono::duration<double>(interval_s_));
      statuses = look();
      if (!json_) clear_screen();
      show(statuses);
    }
    return 0;
  }

 private:
  static bool is_any_running(const std::vector<RunStatus>& statuses) {
    return std::ranges::count(statuses, RunState::running, &RunStatus::state) > 0;
  }

  std::vector<std::filesystem::path> stores() const {
    if (arguments_.empty()) return known_stores();
    std::vector<std::filesystem::path> stores;
    for (const auto& file : input_files(arguments_))
      if (is_store(file)) stores.push_back(file);
    if (stores.empty()) fail(ErrorCode::input, "no trial store in {}", fmt::join(arguments_, ", "));
    return stores;
  }

  /// A store that cannot be read is reported; the others are still shown.
  std::vector<RunStatus> look() const {
    std::vector<RunStatus> statuses;
    for (const auto& store : stores()) {
      try {
        for (auto& status : statuses_of(store, query_)) statuses.push_back(std::move(status));
      } catch (const Error& error) {
        print_note("gemmtune: {}\n", error.what());
      }
    }
    std::ranges::stable_sort(statuses, [](const auto& a, const auto& b) {
      return std::pair(a.state != RunState::running, a.run.begun_utc) <
             std::pair(b.state != RunState::running, b.run.begun_utc);
    });
    return statuses;
  }

  void show(const std::vector<RunStatus>& statuses) const {
    if (json_) {
      auto list = nlohmann::ordered_json::array();
      for (const auto& status : statuses) list.push_back(status_json(status));
      print_text("{}\n", json_text(list, watch_ ? -1 : 2));
    } else if (statuses.empty()) {
      print_text("no runs are known on this machine: name a store or a folder\n");
    } else if (watch_) {
      show_watched(statuses);
    } else {
      for (const auto& status : statuses) print_text("{}\n", status_text(status, stdout_width()));
    }
    flush_output();
  }

  /// Runs that are running come first.
  static void show_watched(const std::vector<RunStatus>& statuses) {
    for (const auto& status : statuses)
      print_text("{}",
                 status.state == RunState::running ? status_text(status, stdout_width()) + '\n' : ended_line(status));
    if (!is_any_running(statuses))
      print_text("no run is running, so there is nothing to watch; without --watch, these runs are shown in full\n");
  }

  std::vector<std::string> arguments_;
  StatusQuery query_;
  double interval_s_{2};
  bool watch_{};
  bool json_{};
  std::string hosts_;
  std::string job_;
};

}  // namespace

std::unique_ptr<Command> make_status_command() { return std::make_unique<StatusCommand>(); }

}  // namespace gemmtune
