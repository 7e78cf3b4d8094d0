// One device's worker for the duration of a benchmark. Shapes are measured one after the other, until all are done, a
// signal arrives, or the worker cannot be started again.
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
  BenchSession(const BenchFlags& flags, const BenchPlan& plan, const Roster& roster);
  ~BenchSession();

  Evaluator& evaluator() { return *evaluator_; }
  const DeviceInfo& device() const { return device_; }

  /// Measures a shape and describes the result in words. Empty if it was interrupted.
  using Measure = std::function<std::optional<std::string>(const Problem&)>;

  /// Measures one shape after the other. Shapes whose operands do not fit are left out.
  void each(const std::vector<Problem>& problems, const Measure& measure);

  /// The command's exit code, once the results are written. Throws the error that ended the session, if any.
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
