#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/cli/worker/worker_factory.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

class FamiliesCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--problem", problem_);
    options.add_option("--device", device_);
    options.add_option("--libtype,--families", families_);
    options.add_option("--worker", workers_).one_value_each();
    options.add_flag("--json", json_);
  }

  int run() override {
    const auto problem = problem_.empty() ? std::nullopt : std::optional(parse_problem(problem_));
    const Roster roster({workers_, families_, device_id(find_device(device_))});
    if (problem)
      show_support(roster, *problem);
    else
      show_versions(roster);
    return 0;
  }

 private:
  void show_versions(const Roster& roster) const {
    auto list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{{"family", "version"}};
    for (const auto& family : roster.families()) {
      const auto version = roster.versions().find(family);
      if (version == roster.versions().end()) continue;  // its worker cannot start, and a warning has said so
      rows.push_back({family, version->second});
      list.push_back({{"family", family}, {"version", version->second}});
    }
    show(list, rows);
    const auto others = families_by_name_only();
    if (!others.empty() && families_.empty())
      print_note("gemmtune: other workers, by --libtype: {}\n", join(others, ","));
  }

  /// In this process, so that a debugger sees gemmtune's own families.
  void show_support(const Roster& roster, const Problem& problem) const {
    auto list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{{"family", "version", "candidates", "why not"}};
    const auto evaluator = worker_factory({.devices = {device_id(find_device(device_))},
                                           .in_process = true,
                                           .workers = roster.workers(),
                                           .absent = roster.absent()})(0);
    for (const auto& support : evaluator->supports(problem)) {
      rows.push_back({support.family, support.version, std::to_string(support.candidate_count), support.why_not});
      list.push_back(to_json_value(support));
    }
    show(list, rows);
  }

  void show(const nlohmann::json& list, const std::vector<std::vector<std::string>>& rows) const {
    const auto text = text_grid(rows, {Align::left, Align::left, Align::right});
    print_text("{}\n", json_ ? json_text(list) : std::string(trim(text)));
  }

  std::string problem_;
  std::string device_{"cpu"};
  std::string families_;
  std::vector<std::string> workers_;
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_families_command() { return std::make_unique<FamiliesCommand>(); }

}  // namespace gemmtune
