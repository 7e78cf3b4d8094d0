#include <algorithm>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/worker/serve.h"

namespace gemmtune {
namespace {

class WorkerCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--device", device_);
    options.add_option("--families", families_);
  }

  int run() override {
    const auto make_evaluator = [this](const std::string& device) -> std::unique_ptr<Evaluator> {
      return std::make_unique<LocalEvaluator>(open_device(device), chosen_families());
    };
    return serve_on_stdio(make_evaluator, device_);
  }

 private:
  Families chosen_families() const {
    auto families = make_families();
    const auto wanted = comma_list(families_);
    if (wanted.empty()) return families;
    std::erase_if(families,
                  [&](const auto& family) { return std::ranges::find(wanted, family->name()) == wanted.end(); });
    if (families.size() != wanted.size())
      fail(ErrorCode::usage, "--families: '{}' names one that is not there", families_);
    return families;
  }

  std::string device_{"cpu"};
  std::string families_;
};

}  // namespace

std::unique_ptr<Command> make_worker_command() { return std::make_unique<WorkerCommand>(); }

}  // namespace gemmtune
