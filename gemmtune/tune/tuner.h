// The supervisor: takes shapes one by one to the workers, one worker for each device, lets a strategy choose what to
// try, and writes every trial down before it counts.
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
  std::vector<std::string> families{};  // empty: all
  EvaluationPolicy screen{screen_policy()};
  EvaluationPolicy confirm{confirm_policy()};
  EvaluationPolicy prove{prove_policy()};
  std::optional<double> budget_s{};  // wall clock, for all shapes; kept to within one candidate
  bool compare_devices{};            // time the same work on each worker's device first, and do without those that lag
  bool reuse_trials{true};           // false: all trials are made anew; the quarantine holds nevertheless
  std::string program{"gemmtune"};   // how a reproducer's command line starts
};

/// What came of one shape.
struct ShapeResult {
  Shape shape{};
  std::optional<Evaluation> winner{};   // its confirmed evaluation; the one of its screening when the run was cut short
  bool proved{};                        // the winner withstood the adversarial operands
  bool complete{};                      // the search ran to its end
  std::string cut_short_by{};           // when it did not: the budget, the user, an error
  std::vector<Evaluation> confirmed{};  // the right ones, ranked, without those that failed the proof
  std::vector<std::string> tied{};      // names that cannot be told apart from the winner
  std::optional<Evaluation> default_choice{};  // what users have without tuning, as it was timed at the winner's stage;
                                               // it may be wrong, and have the better time
  std::optional<RegretClaim> claim{};          // of a search that ran to its end and makes one
  std::string why_failed{};                    // when there is no winner
  std::int64_t tried{};                        // trials made now
  std::int64_t reused{};                       // trials taken from the store
  std::vector<Evaluation> failures{};
  Cost cost{};
  double listing_s{};  // asking the families which candidates there are
  double search_s{};   // the strategy's thinking
  double wall_s{};
};

/// Called from worker threads, one call at a time. What it throws ends the run: an Error comes back in the report,
/// anything else out of tune().
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void shape_started(const Shape& shape, std::size_t candidate_count) = 0;
  virtual void candidate_done(const Shape& shape, const Evaluation& evaluation, bool from_store) = 0;
  virtual void shape_done(const ShapeResult& result) = 0;  // for each shape that was started

  /// Something about a worker's device that whoever reads the results should know.
  virtual void worker_remark(std::size_t /*worker*/, const std::string& /*remark*/) {}

  /// A worker cannot be started any more, or its device is not fit for use; its shape goes to another one.
  virtual void worker_lost(std::size_t /*worker*/, const std::string& /*why*/) {}
};

/// One evaluator for each worker; `make_evaluator(i)` is called in worker i's thread.
using WorkerFactory = std::function<std::unique_ptr<Evaluator>(std::size_t worker)>;

struct TuneReport {
  std::vector<ShapeResult> results{};  // in the order of the shapes
  std::optional<Error>
      stopped_by{};  // the store or the observer failed: what was reached before is in `results`, and worth writing
};

/// Tunes all shapes. Those not reached (budget, `stop`, an error) have no winner and say so in why_failed. Trials that
/// the store has are not made again, so that a run that was cut short goes on where it stopped. Throws Error{usage} for
/// no workers and for a search that does not exist.
TuneReport tune(const TunePlan& plan, std::size_t worker_count, const WorkerFactory& make_evaluator, TrialStore& store,
                TuneObserver& observer, const std::atomic<bool>& stop);

}  // namespace gemmtune
