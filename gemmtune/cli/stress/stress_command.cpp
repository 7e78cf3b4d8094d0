#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/duration.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/stress/stress_session.h"
#include "gemmtune/cli/stress/stress_text.h"
#include "gemmtune/core/error.h"
#include "gemmtune/device/device.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/evaluate/stress.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/worker/compile_ahead.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "gemmtune/worker/serve.h"

namespace gemmtune {
namespace {

constexpr double candidate_timeout_s = 120;
constexpr std::size_t compiling_processes = 8;

/// Few and many rows of A, one tile of C and hundreds, and sizes that tiles do not divide.
std::vector<std::string> default_problems(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return {"1x192x512:a4w4:packed", "33x257x320:f32:f32:f32", "64x256x256:bf16:bf16:bf16"};
  return {"1x7168x2048:a4w4:packed",    "16x2112x7168:a4w4:packed",  "16x8192x8192:a4w4:packed",
          "32x4096x4096:a4w4:packed",   "33x4080x1056:a4w4:packed",  "128x8192x8192:a4w4:packed",
          "1024x2048x7168:a4w4:packed", "3072x4096x4096:a4w4:packed"};
}

class StressCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--device", device_);
    options.add_option("--problem", problems_).one_value_each();
    options.add_option("--families", families_);
    options.add_option("--candidate", plan_.candidates).one_value_each();
    options.add_option("--launches", plan_.launches).positive();
    options.add_option("--seeds", plan_.seeds).positive();
    options.add_option("--budget", budget_);
    options.add_flag("--in-process", in_process_);
    options.add_flag("--worker", worker_);
  }

  int run() override {
    if (worker_) return serve_on_stdio([this](const std::string& id) { return stress_here(id); }, device_);
    const auto device = choose_devices(device_, 1, list_devices()).front();
    complete_plan(device.kind);
    const auto evaluator = make_evaluator(device);
    const auto records = run_stress(*evaluator, plan_);
    if (records.empty()) fail(ErrorCode::usage, "no candidate of these families and names is there for these problems");
    print_text("{}", stress_text(records));
    return std::ranges::any_of(records, &StressRecord::is_failed) ? 1 : 0;
  }

 private:
  void complete_plan(DeviceKind kind) {
    if (problems_.empty()) problems_ = default_problems(kind);
    for (const auto& problem : problems_) plan_.problems.push_back(parse_problem(problem));
    plan_.families = comma_list(families_);
    const auto budget_s = parse_duration(budget_);
    if (!budget_s) fail(ErrorCode::usage, "--budget: found '{}', expected a duration as 300s or 10m", budget_);
    plan_.budget_s = *budget_s;
  }

  std::unique_ptr<Evaluator> stress_here(const std::string& device) const {
    const auto run = [policy = StressPolicy{plan_.launches}](const Workbench& bench, const EvaluationRequest& request,
                                                             EvaluationObserver& observer) {
      stress(bench, request, policy, observer);
    };
    return std::make_unique<LocalEvaluator>(open_device(device), make_families(), run);
  }

  std::unique_ptr<Evaluator> make_evaluator(const DeviceInfo& device) const {
    const auto id = device_id(device);
    if (in_process_) return stress_here(id);
    auto remote =
        std::make_unique<RemoteEvaluator>(RemoteOptions{.command = {"/proc/self/exe", "stress", "--worker", "--device",
                                                                    id, "--launches", std::to_string(plan_.launches)},
                                                        .candidate_timeout_s = candidate_timeout_s});
    if (device.kind == DeviceKind::cpu) return remote;
    return std::make_unique<CompileAhead>(
        std::move(remote), make_families(), KernelCompiler::open(KernelCache(default_kernel_cache()), device.kind),
        CompileAheadOptions{.command = {"/proc/self/exe", "cache", "fill"}, .processes = compiling_processes});
  }

  StressPlan plan_{};
  std::vector<std::string> problems_{};
  std::string device_{};
  std::string families_{};
  std::string budget_{"600s"};
  bool in_process_{};
  bool worker_{};
};

}  // namespace

std::unique_ptr<Command> make_stress_command() { return std::make_unique<StressCommand>(); }

}  // namespace gemmtune
