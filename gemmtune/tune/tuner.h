// The supervisor: takes shapes one by one to the workers, one worker for each device, lets a strategy choose what to try, and
// writes every trial down before it counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/measure/ranking.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

struct TunePlan {
  std::vector<Shape> shapes{};
  std::string search{"screen"};
  std::vector<std::string> families{};  // empty: all
  EvaluationPolicy screen{screen_policy()};
  EvaluationPolicy confirm{confirm_policy()};
  EvaluationPolicy prove{prove_policy()};
  std::optional<double> budget_s{};  // wall clock, for all shapes
};

/// What came of one shape.
struct ShapeResult {
  Shape shape{};
  std::optional<Evaluation> winner{};      // its confirmed evaluation
  std::vector<Evaluation> confirmed{};     // ranked
  std::vector<std::string> tied{};         // names that cannot be told apart from the winner
  std::optional<Evaluation> default_choice{};  // the first candidate of the first family, for comparison: what users have today
  std::string why_failed{};                // when there is no winner
  std::int64_t tried{};
  std::int64_t reused{};                   // trials taken from the store
  std::vector<Evaluation> failures{};
  Cost cost{};
  double wall_s{};
};

/// Called from worker threads, one call at a time.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void shape_started(const Shape& shape, std::size_t candidate_count) = 0;
  virtual void candidate_done(const Shape& shape, const Evaluation& evaluation, bool from_store) = 0;
  virtual void shape_done(const ShapeResult& result) = 0;
};

/// One evaluator for each worker; `make_evaluator(i)` is called in worker i's thread.
using WorkerFactory = std::function<std::unique_ptr<Evaluator>(std::size_t worker)>;

/// Tunes all shapes; returns the results in the order of the shapes. Shapes not reached (budget, `stop`) have no winner and say
/// so in why_failed.
std::vector<ShapeResult> tune(const TunePlan& plan, std::size_t worker_count, const WorkerFactory& make_evaluator,
                              TrialStore& store, TuneObserver& observer, const std::atomic<bool>& stop);

}  // namespace gemmtune
