// The reasons to end a run early: its budget, its user, or an error in another thread.
// Not: when the search of one shape must end so that its winner can still be proven (tune/shape_limits.h).
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace gemmtune {

/// Seconds since the clock was made.
using ElapsedSeconds = std::function<double()>;

ElapsedSeconds steady_seconds();

class Limits {
 public:
  Limits(std::optional<double> budget_s, const std::atomic<bool>& stop, ElapsedSeconds elapsed = steady_seconds())
      : budget_s_(budget_s), stop_(&stop), elapsed_(std::move(elapsed)) {}

  /// How the user wrote the budget, for messages: "90s".
  void call_budget(std::string text) { budget_text_ = std::move(text); }

  /// Whether no further work may begin.
  bool reached() const;

  /// Whether a proof that is under way must end too. A proof may exceed the budget by a tenth of it, and by at most
  /// 30 s: a winner without a proof is of no use.
  bool reached_for_proofs() const;

  /// Seconds until the budget ends, and until a proof that is under way must end. Infinite without a budget. Negative
  /// when that time is past.
  double left_s() const;
  double left_for_proofs_s() const;

  /// The reason in words, for shapes that were not finished; "" while no limit is reached.
  std::string reason() const;

  /// The end of the budget in words, whether or not it is reached. There must be a budget.
  std::string end_of_budget() const;

  /// Ends the run: no further work is begun. May be called from any thread.
  void abort() { aborted_ = true; }

 private:
  bool ended() const { return aborted_ || *stop_; }

  std::optional<double> budget_s_;
  std::string budget_text_{};
  const std::atomic<bool>* stop_;
  ElapsedSeconds elapsed_;
  std::atomic<bool> aborted_{};
};

}  // namespace gemmtune
