// Stage confirm in steps, for a supervisor that times candidates of several processes in turns: it decides which of
// them takes samples next. Also a single product, for a supervisor that checks results itself.
//
// Not: which candidate's turn it is, and when there are enough samples (worker/turns_across.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/gemm/draw_rules.h"

namespace gemmtune {

struct HoldRequest {
  const Problem& problem;
  std::span<const Candidate> candidates;
  const EvaluationPolicy& policy;
  double memory_share{1};  // of what a confirmation may take of the device's memory
};

/// A candidate that is ready to be timed.
struct HeldCandidate {
  Candidate candidate{};
  std::string flaw{};  // why it counts as wrong although it is timed; "" for one that is right so far
  std::int64_t workspace_bytes{};
  std::int64_t packed_bytes{};
  double pack_us{};

  bool operator==(const HeldCandidate&) const = default;
};

/// Hears of each candidate of a HoldRequest, after it has started, exactly one of: held, postponed, evaluated.
class HoldObserver : public EvaluationObserver {
 public:
  virtual void held(const HeldCandidate& candidate) = 0;

  /// Does not fit into memory beside those that are held.
  virtual void postponed(const Candidate& candidate) = 0;
};

enum class Outputs : std::uint8_t { ignored, judged };

struct TurnRequest {
  std::int64_t warmup{};  // launches that are not counted
  std::int64_t count{1};  // samples
  Outputs outputs{Outputs::ignored};
  std::int64_t after{};  // launches that another process makes once it has answered (go_on)

  bool operator==(const TurnRequest&) const = default;
};

struct Turn {
  std::vector<double> samples_us{};
  double clock_mhz{};  // 0 where the device does not tell
  bool throttled{};

  bool operator==(const Turn&) const = default;
};

/// Whether the process that holds the candidates goes on. If it is lost, none of its candidates is held any more.
enum class Process : std::uint8_t { lives, lost };

/// The candidate failed in its turn, and is no longer held.
struct TurnFailure {
  Evaluation evaluation{};  // ok: the process ended before the turn, which is not the candidate's fault
  Process process{Process::lives};
};

using TurnResult = std::variant<Turn, TurnFailure>;

struct ProductRequest {
  Problem problem{};
  Candidate candidate{};
  Recipe recipe{Recipe::gaussian};
  std::uint64_t seed{};
  std::vector<std::int64_t> rows{};  // b · M + m, ascending
};

struct Product {
  Outcome outcome{Outcome::ok};
  std::string reason{};
  std::vector<std::vector<std::byte>> rows{};  // the N elements of each row, without gaps
};

/// The most bytes of a product that has several rows.
inline constexpr std::int64_t most_product_bytes = 4 * 1024 * 1024;

class Steps {
 public:
  virtual ~Steps() = default;

  /// Prepares the candidates, checks them as stage confirm does before it takes samples, and keeps those that can be
  /// timed. What was held before is released first.
  virtual void hold(const HoldRequest& request, HoldObserver& observer) = 0;

  /// Takes the samples of one turn. Throws Error{usage} for a candidate that is not held. hold() and multiply() forget
  /// an interrupt of the evaluator; the others return at once after one, as if the process were lost.
  virtual TurnResult sample(const Candidate& candidate, const TurnRequest& turn) = 0;

  /// Launches a held candidate so often, and waits for it. What fails is found in its next turn, or when it is settled.
  /// Does nothing where the candidate is in another process, which sample() told.
  virtual void go_on(const Candidate& /*candidate*/, std::int64_t /*launches*/) {}

  /// Checks held candidates again, as stage confirm does after their last samples, and reports each exactly once,
  /// without times. If the process is lost, the candidates that were not reported have to be held again.
  [[nodiscard]] virtual Process settle(std::span<const Candidate> candidates, EvaluationObserver& observer) = 0;

  virtual void release() = 0;

  /// Launches the candidate once, and returns rows of the product. Releases what is held.
  virtual Product multiply(const ProductRequest& request) = 0;
};

}  // namespace gemmtune
