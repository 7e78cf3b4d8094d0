#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "gemmtune/core/text.h"
#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/stress.h"

namespace gemmtune {
namespace {

/// Operands of this recipe, with the policy's seed or one that follows it.
WorkloadKey ordeal(const EvaluationRequest& request, Recipe recipe, std::uint64_t seeds_after = 0) {
  const auto& policy = request.policy;
  return {.problem = request.problem,
          .recipe = recipe,
          .seed = policy.seed + seeds_after,
          .verify = policy.verify};
}

/// What a candidate must be right on, beside the operands that it was timed with.
std::vector<WorkloadKey> ordeals(const EvaluationRequest& request) {
  std::vector<WorkloadKey> keys;
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_inf, Recipe::nan_scales})
    for (std::uint64_t seed = 0; seed < seeds_of(request.problem, recipe); ++seed)
      if (differs_from_gaussian(request.problem, recipe)) keys.push_back(ordeal(request, recipe, seed));
  keys.push_back(ordeal(request, Recipe::gaussian, 1));
  return keys;
}

/// An attempt, and the recipes whose weights the candidate declined to pack.
struct Proof {
  Attempt attempt;
  std::vector<std::string> declined{};
  std::size_t passed{};
};

/// On ordinary operands: what changes at the same addresses must be seen, and many launches must be right.
void withstand(const Workbench& bench, const EvaluationRequest& request, Workload& workload, Attempt& attempt) {
  const std::array first{std::size_t{0}};
  if (!attempt.check_changed(workload, first) || !attempt.copy_weights(workload) || !attempt.check(workload, first))
    return;
  const auto policy = proof_stress(bench.device.info());
  stress_attempt(bench, policy, {attempt, workload, attempt.set_count(), request.policy.measure});
}

void undergo(const Workbench& bench, const EvaluationRequest& request, const WorkloadKey& key, Proof& proof) {
  auto& attempt = proof.attempt;
  const bool is_ordinary = key.recipe == Recipe::gaussian;
  const auto sets = is_ordinary ? stressed_sets(bench, request.problem, attempt.packed_bytes()) : 1;
  Workload* workload = find_workload(bench, key, sets, attempt);
  if (workload == nullptr) return;
  if (attempt.equip(*workload, sets) && attempt.check(*workload, std::array{std::size_t{0}}) && is_ordinary)
    withstand(bench, request, *workload, attempt);
  attempt.inputs_intact(*workload);
  attempt.unequip();
}

void take_stock(const WorkloadKey& key, Proof& proof) {
  if (proof.attempt.alive()) {
    ++proof.passed;
    return;
  }
  auto failure = proof.attempt.reopen();
  failure.reason = fmt::format("{}: {}", to_string(key.recipe), failure.reason);
  if (failure.outcome == Outcome::unsupported)
    proof.declined.push_back(failure.reason);
  else
    proof.attempt.settle(std::move(failure));
}

/// A candidate that declined every recipe has proved nothing.
void conclude(Proof& proof) {
  if (!proof.attempt.alive() || proof.declined.empty()) return;
  const auto declined = join(proof.declined, "; ");
  const auto& remarks = proof.attempt.evaluation().reason;
  if (proof.passed == 0)
    proof.attempt.settle({Outcome::unsupported, declined});
  else
    proof.attempt.remark("declined " + declined + (remarks.empty() ? "" : ". " + remarks));
}

}  // namespace

void prove(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
  std::vector<Proof> proofs;
  for (const auto& candidate : request.candidates) {
    observer.started(candidate);
    proofs.push_back({Attempt(bench.device, candidate, Stage::prove)});
    static_cast<void>(proofs.back().attempt.prepare(bench.families, request.problem));
  }
  for (const auto& key : ordeals(request))
    for (auto& proof : proofs) {
      if (bench.interrupted) return;
      if (!proof.attempt.alive()) continue;
      observer.started(proof.attempt.candidate());
      undergo(bench, request, key, proof);
      take_stock(key, proof);
    }
  for (auto& proof : proofs) {
    conclude(proof);
    proof.attempt.release();
    observer.evaluated(proof.attempt.evaluation());
  }
}

}  // namespace gemmtune
