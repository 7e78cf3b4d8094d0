// The one place that decides whether the supervisor believes an evaluation. A worker is another program, so what it
// says of its times is recomputed from the samples, and what contradicts itself is a fault of the worker.
//
// Not: rules that need nothing but the evaluation's own numbers (space/plausibility.h).
#pragma once

#include <limits>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// What an evaluation must answer.
struct Request {
  const Problem& problem;
  const EvaluationPolicy& policy;
  double fastest_us{std::numeric_limits<double>::infinity()};  // of the candidates that are right so far, their medians
};

/// The evaluation that a worker sent, with the summary of its times recomputed from its samples, which are kept if the
/// policy says so. Throws Error{protocol} that names the field when the evaluation is implausible, is not what the
/// stage asks for, or says something else than its samples do.
Evaluation audited(Evaluation sent, const Request& request);

/// The same for an evaluation that holds no times, because the supervisor has taken them or will never need them.
Evaluation audited_without_times(Evaluation sent, const Request& request);

/// Why an evaluation that was kept should not be used again: it is implausible, or unlike its samples where they were
/// kept. "" for one that can be used.
std::string why_not_reusable(const Evaluation& kept, const Request& request);

}  // namespace gemmtune
