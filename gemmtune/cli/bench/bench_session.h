// One device's worker for the length of a benchmark: shapes one after the other, until they are done, a signal comes or
// the worker cannot be started any more.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/cli/bench/bench_options.h"
#include "gemmtune/cli/signal_watch.h"
#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

class BenchSession {
 public:
  BenchSession(const BenchFlags& flags, const BenchPlan& plan);
  ~BenchSession();

  Evaluator& evaluator() { return *evaluator_; }
  const DeviceInfo& device() const { return device_; }

  /// Measures a shape and says in words what came of it; nothing when it was interrupted.
  using Measure = std::function<std::optional<std::string>(const Problem&)>;

  /// One shape after the other, but those whose operands do not fit.
  void each(const std::vector<Problem>& problems, const Measure& measure);

  /// Of the command, once what was measured is written. Throws what ended the session.
  int exit_code(bool all_right) const;

 private:
  class Stoppable;

  void interrupt();
  std::optional<std::string> said_of(const Problem& problem, const Measure& measure);

  std::atomic<bool> stop_{false};
  std::unique_ptr<Evaluator> evaluator_;
  SignalWatch signals_;
  DeviceInfo device_;
  std::size_t too_large_{};
  std::optional<Error> stopped_by_;
};

}  // namespace gemmtune
