// Keeps track of one request about several candidates: which candidates have no answer yet, which candidate is running,
// and which candidate a failure of the worker is charged to. It knows nothing about processes.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/evaluate/steps.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

struct BatchDone {};

/// The worker is alive, and says that it cannot do what it was asked to do.
struct BatchRefused {
  std::string message{};
};

struct Postponed {
  Candidate candidate{};
};

/// What one reply means: a candidate has started to run, has its evaluation, is held or postponed, or the request has
/// ended.
using BatchEvent = std::variant<Candidate, Evaluation, HeldCandidate, Postponed, BatchDone, BatchRefused>;

/// What is asked for the candidates.
enum class Purpose : std::uint8_t {
  evaluate,
  hold,    // answers are also "held" and "postponed", and evaluations are failures
  settle,  // evaluations have no times
};

class CandidateBatch {
 public:
  CandidateBatch(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                 Purpose purpose = Purpose::evaluate)
      : problem_(problem), remaining_(candidates.begin(), candidates.end()), policy_(policy), purpose_(purpose) {}

  /// The message that asks for the candidates that have no answer yet, without what only some purposes need. It always
  /// asks for samples: what a worker says of its times is checked against them.
  nlohmann::json request(std::int64_t id) const;

  /// In the order in which they were given.
  const std::vector<Candidate>& remaining() const { return remaining_; }
  const std::optional<Candidate>& in_flight() const { return in_flight_; }

  /// The running candidate; the next one when none is running. At least one candidate must remain.
  const Candidate& suspect() const { return in_flight_ ? *in_flight_ : remaining_.front(); }

  const EvaluationPolicy& policy() const { return policy_; }

  /// Takes in a worker's reply to request `id`. Throws Error{protocol} when the message is not such a reply, when it is
  /// about a candidate that was not asked for or already has its answer, and when it is an evaluation that does not
  /// hold (worker/audit.h). The error quotes what was received. A candidate whose evaluation does not hold counts as
  /// the running one.
  BatchEvent take(const nlohmann::json& reply, std::int64_t id);

  /// Answers the running candidate with this failure; the next candidate when none is running. At least one candidate
  /// must remain.
  Evaluation blame(Outcome outcome, const std::string& reason);

  /// Moves the candidate that blame() would answer into a batch of its own. At least one candidate must remain.
  CandidateBatch take_suspect();

 private:
  Candidate take_started(const nlohmann::json& reply);
  Evaluation take_evaluation(const nlohmann::json& reply);
  HeldCandidate take_held(const nlohmann::json& reply);
  Postponed take_postponed(const nlohmann::json& reply);
  Evaluation believed(Evaluation sent) const;
  Candidate find(const Candidate& named, const char* said) const;
  void remove(const Candidate& candidate);

  Problem problem_;
  std::vector<Candidate> remaining_;
  std::optional<Candidate> in_flight_{};
  EvaluationPolicy policy_;
  Purpose purpose_;
  double fastest_us_{std::numeric_limits<double>::infinity()};  // of the candidates that are right so far
};

}  // namespace gemmtune
