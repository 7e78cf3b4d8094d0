#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

class FamiliesCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--problem", problem_);
    options.add_option("--device", device_);
    options.add_flag("--json", json_);
  }

  int run() override {
    if (problem_.empty())
      show_built();
    else
      show_support(parse_problem(problem_));
    return 0;
  }

 private:
  void show_built() const {
    auto list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{{"family", "version"}};
    for (const auto& family : make_families()) {
      rows.push_back({std::string(family->name()), family->version()});
      list.push_back({{"family", family->name()}, {"version", family->version()}});
    }
    show(list, rows);
  }

  void show_support(const Problem& problem) const {
    auto list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{{"family", "version", "candidates", "why not"}};
    LocalEvaluator evaluator(open_device(device_), make_families());
    for (const auto& support : evaluator.supports(problem)) {
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
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_families_command() { return std::make_unique<FamiliesCommand>(); }

}  // namespace gemmtune
