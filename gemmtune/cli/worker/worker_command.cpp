
#include "gemmtune/cli/command.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/worker/serve.h"

namespace gemmtune {
namespace {

class WorkerCommand final : public Command {
 public:
  void declare(Options& options) override { options.add_option("--device", device_); }

  int run() override {
    const auto make_evaluator = [](const std::string& device) -> std::unique_ptr<Evaluator> {
      return std::make_unique<LocalEvaluator>(open_device(device), make_families());
    };
    return serve_on_stdio(make_evaluator, device_);
  }

 private:
  std::string device_{"cpu"};
};

}  // namespace

std::unique_ptr<Command> make_worker_command() { return std::make_unique<WorkerCommand>(); }

}  // namespace gemmtune
