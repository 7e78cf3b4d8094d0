// What a run writes down and looks up: trials and the quarantine in the store, progress to the observer. The first
// failure of either ends the run.
#pragma once

#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "gemmtune/trials/reproducer.h"
#include "gemmtune/tune/limits.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

class Journal {
 public:
  /// All four must outlive it. A failure aborts `limits`.
  Journal(const TunePlan& plan, TrialStore& store, TuneObserver& observer, Limits& limits);

  /// What is known of this candidate without running it: its trial in an equal context, or that it is quarantined.
  std::optional<Evaluation> known(const Problem& problem, const Candidate& candidate, const TrialContext& context);

  void add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// Quarantines a candidate that killed or hung its worker, and leaves the others alone.
  void quarantine_if_deadly(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// Calls the observer, one thread at a time.
  template <typename Call>
  void observe(Call&& call) {
    guarded([&] {
      const std::scoped_lock one_at_a_time(observer_mutex_);
      call(observer_);
    });
  }

  /// The first failure of store or observer, if there was one.
  std::exception_ptr failure() const;

 private:
  using Key = std::tuple<std::string, Problem, Candidate>;

  template <typename Work>
  auto guarded(Work&& work) -> decltype(work()) {
    try {
      return work();
    } catch (...) {
      remember_failure(std::current_exception());
      throw;
    }
  }

  void remember_failure(std::exception_ptr failure);
  std::optional<Evaluation> quarantined(const Problem& problem, const Candidate& candidate,
                                        const TrialContext& context);

  const TunePlan& plan_;
  TrialStore& store_;
  TuneObserver& observer_;
  Limits& limits_;
  std::mutex observer_mutex_;
  mutable std::mutex mutex_;  // of what follows
  std::map<Key, Quarantined> quarantine_;
  std::exception_ptr failure_;
};

}  // namespace gemmtune
