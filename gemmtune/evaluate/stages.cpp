#include "gemmtune/evaluate/stages.h"

#include "gemmtune/core/clock.h"

namespace gemmtune {

void run_stage(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
  switch (request.policy.stage) {
    case Stage::screen:
      return screen(bench, request, observer);
    case Stage::confirm:
      return confirm(bench, request, observer);
    case Stage::prove:
      return prove(bench, request, observer);
  }
}

std::size_t rotation(const Workbench& bench, const EvaluationRequest& request) {
  return request.policy.measure.cold_cache ? rotation_count(request.problem, bench.device.info()) : 1;
}

std::size_t rotation(const Workbench& bench, const EvaluationRequest& request, const Attempt& attempt) {
  return request.policy.measure.cold_cache
             ? rotation_count(request.problem, bench.device.info(), attempt.packed_bytes())
             : 1;
}

Workload* find_workload(const Workbench& bench, const WorkloadKey& key, std::size_t sets, Attempt& attempt) {
  Workload* found = nullptr;
  const auto find = [&] {
    auto& workload = bench.workloads.get(key, attempt.cost());
    const ScopedSeconds growing(attempt.cost().operands_s);
    workload.grow(sets);
    found = &workload;
  };
  return attempt.step(blame_launch, find) ? found : nullptr;
}

Workload* timed_workload(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt) {
  const WorkloadKey key{.problem = request.problem,
                        .seed = request.policy.seed,
                        .verify = request.policy.verify,
                        .stage = request.policy.stage};
  return find_workload(bench, key, rotation(bench, request), attempt);
}

}  // namespace gemmtune
