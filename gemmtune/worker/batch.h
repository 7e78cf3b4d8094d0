// The books of one evaluate() call: which candidates have no answer yet, which one runs, who is to blame when the
// worker fails. Knows nothing of processes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct BatchDone {};

/// The worker is alive and says that it cannot do what it was asked.
struct BatchRefused {
  std::string message{};
};

/// What one reply means: a candidate runs from now on, a candidate has its evaluation, or the request has ended.
using BatchEvent = std::variant<Candidate, Evaluation, BatchDone, BatchRefused>;

class CandidateBatch {
 public:
  CandidateBatch(std::span<const Candidate> candidates, Stage stage)
      : remaining_(candidates.begin(), candidates.end()), stage_(stage) {}

  /// In the order they were given.
  const std::vector<Candidate>& remaining() const { return remaining_; }
  const std::optional<Candidate>& in_flight() const { return in_flight_; }

  /// Takes a worker's reply to request `id` into account. Throws Error{protocol} saying what was received when it is
  /// none, or is about a candidate that was not asked for or is answered already.
  BatchEvent take(const nlohmann::json& reply, std::int64_t id);

  /// The candidate that runs, or else the next one, is answered with this failure. Something must remain.
  Evaluation blame(Outcome outcome, const std::string& reason);

 private:
  Candidate take_started(const nlohmann::json& reply);
  Evaluation take_evaluation(const nlohmann::json& reply);
  Candidate find(const Candidate& named, const char* said) const;
  void remove(const Candidate& candidate);

  std::vector<Candidate> remaining_;
  std::optional<Candidate> in_flight_{};
  Stage stage_;
};

/// Why an evaluation contradicts itself or does not fit the stage it was asked for, or "".
std::string why_implausible(const Evaluation& evaluation, Stage stage);

}  // namespace gemmtune
