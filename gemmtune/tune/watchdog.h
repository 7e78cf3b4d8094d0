// Interrupts the evaluators when a limit is reached, so that the end of the budget or Ctrl-C does not wait for a batch
// of finalists.
#pragma once

#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/tune/limits.h"

namespace gemmtune {

class Watchdog {
 public:
  explicit Watchdog(const Limits& limits);

  /// The evaluator is watched for as long as this object lives.
  class Watch {
   public:
    Watch(Watchdog& watchdog, Evaluator& evaluator);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& watchdog_;
    Evaluator& evaluator_;
  };

 private:
  void run(const std::stop_token& end);
  void interrupt_all();

  const Limits& limits_;
  std::mutex mutex_;
  std::set<Evaluator*> watched_;
  std::jthread thread_;  // last, so that it ends before the members that it uses
};

}  // namespace gemmtune
