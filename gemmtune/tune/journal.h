// What a run records and looks up: trials and quarantined candidates in the store, progress at the observer. The first
// failure of the store or of the observer ends the run.
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
  /// All four must outlive the journal. A failure aborts `limits`.
  Journal(const TunePlan& plan, TrialStore& store, TuneObserver& observer, Limits& limits);

  /// The evaluation of this candidate that is known without running it: its trial in an equal context, or the failure
  /// for which it is quarantined. A trial that contradicts itself is not known: the candidate is evaluated again, and
  /// the new trial takes its place.
  std::optional<Evaluation> known(const Problem& problem, const Candidate& candidate, const TrialContext& context);

  void add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// Quarantines the candidate if it crashed or hung its worker. Does nothing for other outcomes.
  void quarantine_if_deadly(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// Calls the observer, from one thread at a time.
  template <typename Call>
  void observe(Call&& call) {
    guarded([&] {
      const std::scoped_lock one_at_a_time(observer_mutex_);
      call(observer_);
    });
  }

  /// The first failure of the store or the observer, if there was one.
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
  mutable std::mutex mutex_;  // protects the members below
  std::map<Key, Quarantined> quarantine_;
  std::exception_ptr failure_;
};

}  // namespace gemmtune
