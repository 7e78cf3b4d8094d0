// The supervisor of a tuning run. It gives the shapes one by one to the workers, of which each device has one, lets a
// strategy choose the candidates, and writes every trial to the store before it uses the result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/measure/ranking.h"
#include "gemmtune/search/strategy.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

struct TunePlan {
  std::vector<Shape> shapes{};
  std::string search{"race"};
  double regret{usual_regret};          // a race goes on until the one that it states is at most this
  std::vector<std::string> families{};  // empty: all
  EvaluationPolicy screen{screen_policy()};
  EvaluationPolicy confirm{confirm_policy()};
  EvaluationPolicy prove{prove_policy()};
  std::optional<double> budget_s{};  // wall-clock time for all shapes; exceeded by at most one candidate, or by the
                                     // proof of a winner (tune/limits.h)
  std::string budget_text{};         // as the user wrote it, for messages
  bool compare_devices{};           // first time the same work on every device, and leave out devices that are too slow
  bool reuse_trials{true};          // false: every trial is repeated; quarantined candidates stay excluded
  std::string program{"gemmtune"};  // the first word of a reproducer's command line
};

/// The result of tuning one shape.
struct ShapeResult {
  Shape shape{};
  std::optional<Evaluation> winner{};  // proven, so that it may be served; its confirmed evaluation, or the one of its
                                       // screening when the run was cut short
  std::optional<Evaluation> unproven{};  // without a winner: the fastest candidate that was right until the run was cut
                                         // short. It is no winner before it is proven, and is never served.
  bool reached{true};                    // false: the run ended before it came to this shape
  bool complete{};                       // the search ran to its end
  std::string cut_short_by{};            // when the search did not end: the budget, the user, or an error
  std::vector<Evaluation> confirmed{};   // the correct ones, ranked, without those that failed the proof
  std::vector<std::string> tied{};       // names of candidates whose times do not differ from the winner's
  std::optional<Evaluation> default_choice{};  // what users have without tuning, as it was timed at the winner's stage,
                                               // or with the winner again when the gain was doubtful
                                               // (tune/second_look.h); it may be wrong, and have the better time
  std::optional<RegretClaim> claim{};          // when the search ran to its end and states its regret
  std::string why_no_claim{};                  // when the search would have stated its regret, but could not
  std::string why_failed{};                    // why there is no winner
  std::int64_t tried{};                        // trials made in this run
  std::int64_t reused{};                       // trials taken from the store
  std::vector<Evaluation> failures{};
  Cost cost{};
  double listing_s{};  // asking the families for their candidates
  double search_s{};   // computing time of the strategy
  double wall_s{};
};

/// Called from worker threads, one call at a time. An exception ends the run: an Error is returned in the report, any
/// other exception is thrown by tune().
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void shape_started(const Shape& shape, std::size_t candidate_count) = 0;
  virtual void candidate_done(const Shape& shape, const Evaluation& evaluation, bool from_store) = 0;
  virtual void shape_done(const ShapeResult& result) = 0;  // once for each shape that was started

  /// A remark about a worker's device that readers of the results should know.
  virtual void worker_remark(std::size_t /*worker*/, const std::string& /*remark*/) {}

  /// A worker cannot be started any more, or its device must not be used. Its shape goes to another worker.
  virtual void worker_lost(std::size_t /*worker*/, const std::string& /*why*/) {}
};

/// Makes the evaluator of worker i; called in the thread of that worker.
using WorkerFactory = std::function<std::unique_ptr<Evaluator>(std::size_t worker)>;

struct TuneReport {
  std::vector<ShapeResult> results{};  // in the order of the shapes
  std::vector<std::string> remarks{};  // of the evaluators (Evaluator::remarks), each once
  bool is_out_of_time{};               // the budget ended before every shape had a winner or failed
  std::optional<Error>
      stopped_by{};  // the failure of the store or the observer; `results` holds what was reached before
};

/// Tunes all shapes. A shape that is not reached (budget, `stop`, an error) has no winner, and why_failed says so.
/// Trials that are in the store are not repeated, so that a run that was cut short continues where it stopped. Throws
/// Error{usage} when there are no workers, and for an unknown search.
TuneReport tune(const TunePlan& plan, std::size_t worker_count, const WorkerFactory& make_evaluator, TrialStore& store,
                TuneObserver& observer, const std::atomic<bool>& stop);

}  // namespace gemmtune
