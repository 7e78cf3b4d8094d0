// One batch of candidates, evaluated to its end.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

using Evaluations = std::map<Candidate, Evaluation>;

/// Empty if the evaluator was interrupted and did not report all candidates.
std::optional<Evaluations> evaluate_all(Evaluator& evaluator, const Problem& problem,
                                        const std::vector<Candidate>& candidates, const EvaluationPolicy& policy);

/// Whether the candidate is right and has a time.
bool has_time(const Evaluation& evaluation);

}  // namespace gemmtune
