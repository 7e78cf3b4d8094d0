#include "gemmtune/tune/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/clock.h"

namespace gemmtune {
namespace {

double overrun_s(double budget_s) {
  constexpr double share = 0.1;
  constexpr double most_s = 30;
  return std::min(share * budget_s, most_s);
}

}  // namespace

ElapsedSeconds steady_seconds() {
  return [start = SteadyClock::now()] { return seconds_since(start); };
}

bool Limits::reached() const { return ended() || left_s() <= 0; }

bool Limits::reached_for_proofs() const { return ended() || left_for_proofs_s() <= 0; }

double Limits::left_s() const { return budget_s_ ? *budget_s_ - elapsed_() : std::numeric_limits<double>::infinity(); }

double Limits::left_for_proofs_s() const { return left_s() + (budget_s_ ? overrun_s(*budget_s_) : 0); }

std::string Limits::reason() const {
  if (aborted_) return "the run ended in an error";
  if (*stop_) return "the run was stopped";
  return left_s() <= 0 ? end_of_budget() : "";
}

std::string Limits::end_of_budget() const {
  const auto budget = budget_text_.empty() ? human_duration(budget_s_.value()) : budget_text_;
  return fmt::format("the budget of {} is spent", budget);
}

}  // namespace gemmtune
