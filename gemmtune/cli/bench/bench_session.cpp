#include "gemmtune/cli/bench/bench_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/worker/worker_factory.h"
#include "gemmtune/device/device.h"
#include "gemmtune/evaluate/passing_evaluator.h"
#include "gemmtune/tune/candidates.h"

namespace gemmtune {
namespace {

/// Even if nothing is searched for, each family's default is measured.
std::unique_ptr<Evaluator> start_evaluator(const BenchFlags& flags, const BenchPlan& plan, const Roster& roster) {
  const auto device = choose_devices(flags.tune.device, 1, list_devices()).front();
  insist_on_measurable(flags.tune, device);
  return worker_factory({.devices = {device_id(device)},
                         .candidate_timeout_s = flags.tune.timeout_s,
                         .in_process = flags.tune.in_process,
                         .selection = {.families = plan.tune.families,
                                       .split_k = true,
                                       .most_of_a_family = std::max<std::int64_t>(plan.most_candidates, 1),
                                       .sample = Sample::diverse},
                         .workers = roster.workers(),
                         .absent = roster.absent()})(0);
}

}  // namespace

/// Passes work to the inner evaluator until it has to stop, even between two batches. After that it does nothing.
class BenchSession::Stoppable final : public PassingEvaluator {
 public:
  Stoppable(std::unique_ptr<Evaluator> inner, const std::atomic<bool>& stop)
      : PassingEvaluator(std::move(inner)), stop_(stop) {}

  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    if (!stop_) PassingEvaluator::evaluate(problem, candidates, policy, observer);
  }

 private:
  const std::atomic<bool>& stop_;
};

BenchSession::BenchSession(const BenchFlags& flags, const BenchPlan& plan, const Roster& roster)
    : evaluator_(std::make_unique<Stoppable>(start_evaluator(flags, plan, roster), stop_)),
      signals_([this](int) { interrupt(); }),
      device_(evaluator_->device()) {}

BenchSession::~BenchSession() = default;

void BenchSession::interrupt() {
  stop_ = true;
  spdlog::warn("stopping: what is done is being written; once more ends at once");
  evaluator_->interrupt();
}

void BenchSession::each(const std::vector<Problem>& problems, const Measure& measure) {
  std::size_t count = 0;
  try {
    for (const auto& problem : problems) {
      if (stop_) return;
      const auto said = said_of(problem, measure);
      if (!said) return;
      spdlog::info("[{}/{}] {}: {}", ++count, problems.size(), to_string(problem), *said);
    }
  } catch (const Error& error) {
    if (!stop_) stopped_by_ = error;
  }
}

std::optional<std::string> BenchSession::said_of(const Problem& problem, const Measure& measure) {
  auto why_not = why_too_large(problem, device_);
  if (why_not.empty()) return measure(problem);
  ++too_large_;
  return why_not;
}

int BenchSession::exit_code(bool all_right) const {
  for (const auto& remark : evaluator_->remarks()) spdlog::warn("{}", remark);
  if (stopped_by_) throw *stopped_by_;
  if (const auto signal = signals_.caught()) return 128 + *signal;
  return all_right && too_large_ == 0 ? 0 : 1;
}

}  // namespace gemmtune
