#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/worker/conformance.h"

namespace gemmtune {
namespace {

class WorkerCheckCommand final : public Command {
 public:
  void declare(Options& options) override {
    options_ = options;
    options.add_option("--problem", problem_);
    options.add_option("--timeout", timeout_s_).positive();
    options.keep_rest();  // the rest is the worker's command, which has options of its own
  }

  int run() override {
    const auto command = worker_command();
    const auto checks = check_worker(command, to_string(parse_problem(problem_)), timeout_s_);
    for (const auto& check : checks)
      print_text("{:<6} {}{}\n", check.passed ? "passed" : "FAILED", check.name,
                 check.detail.empty() ? "" : ": " + check.detail);
    const auto failed = std::ranges::count(checks, false, &ConformanceCheck::passed);
    print_text("{} of {} checks passed\n", static_cast<std::int64_t>(checks.size()) - failed, checks.size());
    return failed == 0 ? 0 : 1;
  }

 private:
  std::vector<std::string> worker_command() const {
    auto command = options_->rest();
    if (!command.empty() && command.front() == "--") command.erase(command.begin());
    if (command.empty())
      fail(ErrorCode::usage, "worker-check: expected the worker's command, as worker-check ./my-worker");
    return command;
  }

  std::optional<Options> options_{};
  double timeout_s_{1800};
  std::string problem_{"64x64x64:f32:f32:f32"};
};

}  // namespace

std::unique_ptr<Command> make_worker_check_command() { return std::make_unique<WorkerCheckCommand>(); }

}  // namespace gemmtune
