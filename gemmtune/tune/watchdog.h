// Interrupts the evaluators once a limit is reached, so that a budget or Ctrl-C need not wait for a batch of finalists.
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

  /// Has an evaluator watched for as long as this lives.
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
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace gemmtune
