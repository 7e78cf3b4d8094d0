// Keeps track of one evaluate() request: which candidates have no answer yet, which candidate is running, and which
// candidate a failure of the worker is charged to. It knows nothing about processes.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

struct BatchDone {};

/// The worker is alive, and says that it cannot do what it was asked to do.
struct BatchRefused {
  std::string message{};
};

/// What one reply means: a candidate has started to run, a candidate has its evaluation, or the request has ended.
using BatchEvent = std::variant<Candidate, Evaluation, BatchDone, BatchRefused>;

class CandidateBatch {
 public:
  CandidateBatch(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy)
      : problem_(problem), remaining_(candidates.begin(), candidates.end()), policy_(policy) {}

  /// The message that asks for the candidates that have no answer yet. It always asks for samples: what a worker says
  /// of its times is checked against them.
  nlohmann::json request(std::int64_t id) const;

  /// In the order in which they were given.
  const std::vector<Candidate>& remaining() const { return remaining_; }
  const std::optional<Candidate>& in_flight() const { return in_flight_; }

  /// Takes in a worker's reply to request `id`. Throws Error{protocol} when the message is not such a reply, when it is
  /// about a candidate that was not asked for or already has its answer, and when it is an evaluation that does not
  /// hold (worker/audit.h). The error quotes what was received. A candidate whose evaluation does not hold counts as
  /// the running one.
  BatchEvent take(const nlohmann::json& reply, std::int64_t id);

  /// Answers the running candidate with this failure; the next candidate when none is running. At least one candidate
  /// must remain.
  Evaluation blame(Outcome outcome, const std::string& reason);

 private:
  Candidate take_started(const nlohmann::json& reply);
  Evaluation take_evaluation(const nlohmann::json& reply);
  Candidate find(const Candidate& named, const char* said) const;
  void remove(const Candidate& candidate);

  Problem problem_;
  std::vector<Candidate> remaining_;
  std::optional<Candidate> in_flight_{};
  EvaluationPolicy policy_;
  double fastest_us_{std::numeric_limits<double>::infinity()};  // of the candidates that are right so far
};

}  // namespace gemmtune
