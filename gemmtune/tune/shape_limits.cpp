#include "gemmtune/tune/shape_limits.h"

namespace gemmtune {
namespace {

/// How much more time is kept than a proof is expected to take.
constexpr double caution = 1.5;

}  // namespace

bool ShapeLimits::reached() const {
  if (proving_) return run_.reached_for_proofs();
  if (run_.reached() || kept_for_proof_) return true;
  if (time_to_prove()) kept_for_proof_ = true;
  return kept_for_proof_;
}

bool ShapeLimits::leaves_time_for_proof() const {
  return !run_.reached_for_proofs() && run_.left_for_proofs_s() >= proof_s_;
}

// A proof that does not fit into the rest of the budget is not waited for: the search uses that time, its trials are
// kept, and the next run has less to do.
bool ShapeLimits::time_to_prove() const {
  return proof_s_ > 0 && run_.left_s() <= caution * proof_s_ && leaves_time_for_proof();
}

std::string ShapeLimits::reason() const {
  const auto reason = run_.reason();
  return reason.empty() && kept_for_proof_ ? run_.end_of_budget() : reason;
}

}  // namespace gemmtune
