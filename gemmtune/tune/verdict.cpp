#include "gemmtune/tune/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using Evaluations = std::span<const Evaluation>;

std::set<Candidate> refuted(Evaluations evaluations) {
  std::set<Candidate> candidates;
  for (const Evaluation& e : evaluations) {
    if (e.stage != Stage::screen && e.outcome != Outcome::ok) candidates.insert(e.candidate);
  }
  return candidates;
}

// The same test as in the strategies: correct, timed, and not found wrong at a later stage.
std::vector<Evaluation> contenders(Evaluations evaluations, Stage stage) {
  const auto wrong = refuted(evaluations);
  std::vector<Evaluation> found;
  for (const Evaluation& e : evaluations) {
    const bool right = e.outcome == Outcome::ok && e.timing.median_us > 0 && !wrong.contains(e.candidate);
    if (e.stage == stage && right) found.push_back(e);
  }
  return found;
}

bool is_proved(Evaluations evaluations, const Candidate& candidate) {
  return std::any_of(evaluations.begin(), evaluations.end(), [&](const Evaluation& e) {
    return e.stage == Stage::prove && e.outcome == Outcome::ok && e.candidate == candidate;
  });
}

/// None when the winner is not among the fastest, which nobody could prove.
std::vector<std::string> names_tied_with(const Evaluation& winner, const std::vector<Evaluation>& finalists,
                                         const Ranking& ranking) {
  const auto is_winner = [&](std::size_t i) { return finalists[i].candidate == winner.candidate; };
  if (std::ranges::none_of(ranking.tied, is_winner)) return {};
  std::vector<std::string> names;
  for (const std::size_t i : ranking.tied) {
    if (!(finalists[i].candidate == winner.candidate)) names.push_back(finalists[i].candidate.name);
  }
  return names;
}

/// The candidate's evaluation at this stage, if it was timed there. When another evaluation found the candidate wrong,
/// the result has that outcome and reason.
std::optional<Evaluation> timed(Evaluations evaluations, Stage stage, const Candidate& candidate) {
  std::optional<Evaluation> found;
  const Evaluation* refutation = nullptr;
  for (const Evaluation& e : evaluations) {
    if (!(e.candidate == candidate)) continue;
    if (e.stage == stage && e.timing.median_us > 0) found = e;
    if (e.outcome != Outcome::ok) refutation = &e;
  }
  if (found && refutation != nullptr) {
    found->outcome = refutation->outcome;
    found->reason = refutation->reason;
  }
  return found;
}

// "none of 14 candidates is right: 12 wrong_result, 2 crashed; first wrong_result: toy_1: worst element …"
std::string why_none_is_right(Evaluations evaluations) {
  std::map<Outcome, std::int64_t> counts;
  std::set<Candidate> candidates;
  for (const Evaluation& e : evaluations) {
    candidates.insert(e.candidate);
    if (e.outcome != Outcome::ok) ++counts[e.outcome];
  }
  std::vector<std::string> pieces;
  for (const auto& [outcome, count] : counts) pieces.push_back(fmt::format("{} {}", count, to_string(outcome)));
  const auto first = std::find_if(evaluations.begin(), evaluations.end(),
                                  [](const Evaluation& e) { return e.outcome != Outcome::ok; });
  if (first == evaluations.end()) return "no candidate was tried to the end";
  return fmt::format("none of {} candidates is right: {}; the first: {}: {}", candidates.size(), join(pieces, ", "),
                     first->candidate.name, first->reason);
}

std::string why_not_proven(const ShapeResult& result) {
  const auto until_then = result.cut_short_by.empty() ? "" : result.cut_short_by + "; until then ";
  return fmt::format("{}{} was the fastest with {:.4g} us, but it was not proven", until_then,
                     result.unproven->candidate.name, result.unproven->timing.median_us);
}

std::string why_no_winner(const ShapeResult& result, Evaluations evaluations) {
  if (result.complete) return why_none_is_right(evaluations);
  return result.cut_short_by + (evaluations.empty() ? "" : "; until then " + why_none_is_right(evaluations));
}

}  // namespace

ShapeResult with_verdict(ShapeResult result, std::span<const Evaluation> evaluations, const Candidate& default_choice) {
  std::copy_if(evaluations.begin(), evaluations.end(), std::back_inserter(result.failures),
               [](const Evaluation& e) { return e.outcome != Outcome::ok; });
  auto finalists = contenders(evaluations, Stage::confirm);
  const bool confirmed = !finalists.empty();
  if (!confirmed) finalists = contenders(evaluations, Stage::screen);
  const Ranking ranking = rank(finalists);
  if (ranking.order.empty()) {
    result.why_failed = why_no_winner(result, evaluations);
    return result;
  }
  const auto proven = std::ranges::find_if(
      ranking.order, [&](std::size_t i) { return is_proved(evaluations, finalists[i].candidate); });
  if (proven == ranking.order.end()) {
    result.unproven = finalists[ranking.order.front()];
    result.why_failed = why_not_proven(result);
    return result;
  }
  result.winner = finalists[*proven];
  result.tied = names_tied_with(*result.winner, finalists, ranking);
  result.default_choice = timed(evaluations, result.winner->stage, default_choice);
  if (!confirmed) return result;
  for (const std::size_t i : ranking.order) result.confirmed.push_back(finalists[i]);
  return result;
}

}  // namespace gemmtune
