#include "gemmtune/tune/proof_cost.h"

#include <algorithm>

namespace gemmtune {
namespace {

/// A proof checks a candidate with several kinds of operands (evaluate/proving.cpp), each of which is drawn anew and
/// has a reference of its own. As many as this, to be on the safe side.
constexpr double checks_of_a_proof = 8;

}  // namespace

// Failures are left out: a crash or a time limit takes any time.
void ProofCost::add(const Evaluation& evaluation, double wall_s) {
  if (evaluation.outcome != Outcome::ok) return;
  const auto& cost = evaluation.cost;
  if (evaluation.stage == Stage::prove) proof_s_ = std::max({proof_s_, cost.total(), wall_s});
  if (evaluation.stage != Stage::screen) return;
  prepare_s_ = std::max(prepare_s_, cost.prepare_s);
  operands_s_ = std::max(operands_s_, cost.operands_s);
  reference_s_ = std::max(reference_s_, cost.reference_s);
  verify_s_ = std::max(verify_s_, cost.verify_s);
  if (wall_s > 0) evaluation_s_ = evaluation_s_ > 0 ? std::min(evaluation_s_, wall_s) : wall_s;
}

double ProofCost::seconds() const {
  const double checks_s = prepare_s_ + checks_of_a_proof * (operands_s_ + reference_s_ + verify_s_);
  const double expected_s = proof_s_ > 0 ? proof_s_ : std::max(checks_s, evaluation_s_);
  return expected_s > 0 ? worker_start_s_ + expected_s : 0;
}

}  // namespace gemmtune
