#include "gemmtune/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "gemmtune/core/clock.h"
#include "gemmtune/search/neighbours.h"
#include "gemmtune/search/strategy.h"
#include "gemmtune/tune/device_check.h"
#include "gemmtune/tune/journal.h"
#include "gemmtune/tune/limits.h"
#include "gemmtune/tune/shape_order.h"
#include "gemmtune/tune/shape_queue.h"
#include "gemmtune/tune/shape_run.h"
#include "gemmtune/tune/watchdog.h"

namespace gemmtune {
namespace {

/// When all candidates of this many shapes in a row have crashed or hung, the worker's device is at fault and not the
/// candidates.
constexpr int most_deadly_shapes = 3;

bool is_deadly(const ShapeResult& result) {
  const auto& failures = result.failures;
  return !result.winner && !result.unproven && !failures.empty() &&
         std::all_of(failures.begin(), failures.end(), [](const Evaluation& failure) {
           return failure.outcome == Outcome::crashed || failure.outcome == Outcome::timed_out;
         });
}

/// Without a budget all shapes are tuned anyway, in the order in which the user listed them.
std::vector<std::size_t> order_of(const TunePlan& plan) {
  return plan.budget_s ? by_saving(plan.shapes) : as_listed(plan.shapes.size());
}

/// The threads of a run, and what they share.
class Supervisor {
 public:
  Supervisor(const TunePlan& plan, std::size_t worker_count, TrialStore& store, TuneObserver& observer,
             const std::atomic<bool>& stop)
      : plan_(plan),
        store_(store),
        limits_(plan.budget_s, stop),
        journal_(plan, store, observer, limits_),
        queue_(order_of(plan)),
        device_check_(worker_count),
        worker_count_(worker_count),
        results_(plan.shapes.size()) {
    limits_.call_budget(plan.budget_text);
  }

  TuneReport run(const WorkerFactory& make_evaluator) {
    {
      std::vector<std::jthread> threads;
      for (std::size_t worker = 0; worker < worker_count_; ++worker) {
        threads.emplace_back([&, worker] { work(worker, make_evaluator); });
      }
    }
    return report();
  }

 private:
  struct Worker {
    std::size_t index;
    Evaluator& evaluator;
    double start_s;  // how long it took to start
  };

  void work(std::size_t worker, const WorkerFactory& make_evaluator) {
    try {
      const auto start = SteadyClock::now();
      const auto evaluator = make_evaluator(worker);
      const auto device = device_of(*evaluator);
      const Worker self{worker, *evaluator, seconds_since(start)};
      std::call_once(remembered_, [&] { remember_times(device); });
      check_device(self);
      take_shapes(self);
      note_remarks(evaluator->remarks());
    } catch (const std::exception& error) {
      lose(worker, error.what());
    } catch (...) {
      lose(worker, "an exception of an unknown kind");
    }
  }

  void note_remarks(const std::vector<std::string>& remarks) {
    const std::scoped_lock lock(mutex_);
    remarks_.insert(remarks.begin(), remarks.end());
  }

  DeviceInfo device_of(Evaluator& evaluator) {
    const Watchdog::Watch watch(watchdog_, evaluator, [this] { return limits_.reached(); });
    return evaluator.device();
  }

  /// Times of other shapes from earlier runs guide the search. Times of this run's own shapes are left out: a resumed
  /// run must learn them in the same order as before.
  void remember_times(const DeviceInfo& device) {
    if (!plan_.reuse_trials) return;
    std::set<Problem> own;
    for (const auto& shape : plan_.shapes) own.insert(shape.problem);
    for (const auto& [problem, family, candidate, median_us] : store_.times(device))
      if (!own.contains(problem)) neighbours_.add(problem, {family, candidate, median_us});
  }

  void check_device(const Worker& worker) {
    if (!plan_.compare_devices || plan_.shapes.empty()) return;
    const Watchdog::Watch watch(watchdog_, worker.evaluator, [this] { return limits_.reached(); });
    const auto& shape = device_check_shape(plan_.shapes);
    const auto standing = device_check_.answer(worker.index, time_for_device_check(plan_, shape, worker.evaluator));
    if (standing.remark.empty()) return;
    if (standing.too_slow) retire(worker.index, "its device " + standing.remark);
    journal_.observe([&](TuneObserver& observer) { observer.worker_remark(worker.index, standing.remark); });
  }

  void take_shapes(const Worker& worker) {
    int deadly = 0;
    while (!limits_.reached()) {
      const auto index = queue_.take();
      if (!index) return;
      if (limits_.reached()) return queue_.give_back(*index);
      do_shape(*index, worker);
      deadly = is_deadly(*results_[*index]) ? deadly + 1 : 0;
      if (deadly == most_deadly_shapes)
        retire(worker.index, fmt::format("all candidates crashed or hung for {} shapes in a row", deadly));
    }
  }

  /// Ends a worker whose device must not be used, unless it is the last worker.
  void retire(std::size_t worker, const std::string& why) {
    const std::scoped_lock lock(mutex_);
    if (lost_.size() + 1 >= worker_count_) return;
    lost_.insert(worker);  // at once: the next worker that asks may be the last one
    fail(ErrorCode::no_device, "{}", why);
  }

  // Throws when the worker can no longer be used. The shape then goes to another worker.
  void do_shape(std::size_t index, const Worker& worker) {
    try {
      results_[index] = tuned(plan_.shapes[index], worker);
    } catch (...) {
      queue_.give_back(index);
      throw;
    }
    queue_.finish();
    if (journal_.failure()) return;
    journal_.observe([&](TuneObserver& observer) { observer.shape_done(*results_[index]); });
  }

  ShapeResult tuned(const Shape& shape, const Worker& worker) {
    try {
      const RunParts parts{plan_, journal_, limits_, neighbours_, watchdog_};
      return ShapeRun(parts, shape, worker.evaluator, worker.start_s).result();
    } catch (const std::exception& error) {
      if (journal_.failure() || ends_worker(error)) throw;
      return failed(shape, error.what());
    }
  }

  static ShapeResult failed(const Shape& shape, std::string why) {
    ShapeResult result;
    result.shape = shape;
    result.why_failed = std::move(why);
    return result;
  }

  void lose(std::size_t worker, const std::string& why) {
    device_check_.leave(worker);
    if (limits_.reached()) return;  // not a loss: an interrupted evaluator need not answer
    {
      const std::scoped_lock lock(mutex_);
      lost_.insert(worker);
      why_lost_ = why;
    }
    try {
      journal_.observe([&](TuneObserver& observer) { observer.worker_lost(worker, why); });
    } catch (...) {
      // The journal keeps the failure.
    }
  }

  TuneReport report() {
    TuneReport report{.remarks = {remarks_.begin(), remarks_.end()}, .stopped_by = error_of_journal()};
    for (std::size_t i = 0; i < results_.size(); ++i) {
      report.results.push_back(results_[i] ? std::move(*results_[i]) : not_reached(plan_.shapes[i]));
    }
    report.is_out_of_time = std::ranges::any_of(report.results, [&](const auto& result) { return lacks_time(result); });
    return report;
  }

  /// A search may also end before the budget does, to leave time for a proof.
  bool lacks_time(const ShapeResult& result) const {
    if (!plan_.budget_s || result.winner) return false;
    return result.reached ? result.cut_short_by == limits_.end_of_budget()
                          : limits_.reason() == limits_.end_of_budget();
  }

  std::optional<Error> error_of_journal() const {
    if (!journal_.failure()) return std::nullopt;
    try {
      std::rethrow_exception(journal_.failure());
    } catch (const Error& error) {
      return error;
    }
  }

  ShapeResult not_reached(const Shape& shape) const {
    auto result =
        failed(shape, "not reached: " + (limits_.reached() ? limits_.reason() : "no worker is left: " + why_lost_));
    result.reached = false;
    return result;
  }

  const TunePlan& plan_;
  const TrialStore& store_;
  Limits limits_;
  Journal journal_;
  ShapeQueue queue_;
  Neighbours neighbours_;
  std::once_flag remembered_;
  Watchdog watchdog_;
  DeviceCheck device_check_;
  std::size_t worker_count_;
  std::vector<std::optional<ShapeResult>> results_;  // each touched by the thread that took its index
  std::mutex mutex_;
  std::set<std::size_t> lost_;  // workers
  std::string why_lost_;
  std::set<std::string> remarks_;
};

}  // namespace

TuneReport tune(const TunePlan& plan, std::size_t worker_count, const WorkerFactory& make_evaluator, TrialStore& store,
                TuneObserver& observer, const std::atomic<bool>& stop) {
  if (worker_count == 0) fail(ErrorCode::usage, "tuning needs at least one worker");
  static_cast<void>(make_strategy(plan.search, {}));  // complains before workers are started
  return Supervisor(plan, worker_count, store, observer, stop).run(make_evaluator);
}

}  // namespace gemmtune
