#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "gemmtune/evaluate/finalist.h"
#include "gemmtune/evaluate/stages.h"
#include "gemmtune/evaluate/turns.h"

namespace gemmtune {
namespace {

class Confirmation {
 public:
  Confirmation(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer)
      : bench_(bench), request_(request), observer_(observer) {}

  void run() {
    std::vector<Attempt> waiting;
    for (const auto& candidate : request_.candidates) {
      observer_.started(candidate);
      Attempt attempt(bench_.device, candidate, Stage::confirm);
      if (attempt.prepare(bench_.families, request_.problem))
        waiting.push_back(std::move(attempt));
      else
        report(attempt);
    }
    while (!waiting.empty() && !bench_.interrupted) confirm_together(take_group(waiting));
  }

 private:
  void report(Attempt& attempt) {
    attempt.release();
    observer_.evaluated(attempt.evaluation());
  }

  /// The first candidates that fit into memory together; at least one.
  std::vector<Attempt> take_group(std::vector<Attempt>& waiting) const {
    const auto wanted = [&](const Attempt& attempt) { return attempt.bytes(rotation(bench_, request_, attempt)); };
    const auto memory = memory_for_finalists(bench_.device);
    std::size_t bytes = 0;
    auto end = waiting.begin();
    do bytes += wanted(*end++);
    while (end != waiting.end() && bytes + wanted(*end) <= memory);
    std::vector<Attempt> group(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
    waiting.erase(waiting.begin(), end);
    return group;
  }

  void confirm_together(std::vector<Attempt> group) {
    std::vector<Attempt> timed;
    std::vector<std::optional<Failure>> flaws;  // of each of those
    for (auto& attempt : group) {
      if (bench_.interrupted) return;
      observer_.started(attempt.candidate());
      if (!check_before_timing(bench_, request_, attempt)) {
        report(attempt);
        continue;
      }
      flaws.push_back(attempt.alive() ? std::nullopt : std::optional(attempt.reopen()));
      if (flaws.back()) attempt.stop_judging();
      timed.push_back(std::move(attempt));
    }
    time_in_turn(bench_, request_, timed, observer_);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (bench_.interrupted) return;
      if (flaws[i])
        timed[i].settle(*std::move(flaws[i]));
      else if (timed[i].alive())
        check_again(timed[i]);
      report(timed[i]);
    }
  }

  void check_again(Attempt& attempt) {
    observer_.started(attempt.candidate());
    check_after_timing(bench_, request_, attempt);
  }

  const Workbench& bench_;
  const EvaluationRequest& request_;
  EvaluationObserver& observer_;
};

}  // namespace

void confirm(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
  Confirmation(bench, request, observer).run();
}

}  // namespace gemmtune
