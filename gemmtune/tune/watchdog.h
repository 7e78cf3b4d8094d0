// Interrupts the evaluators when a limit is reached, so that the end of the budget or Ctrl-C does not wait for a batch
// of finalists.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

class Watchdog {
 public:
  Watchdog();

  /// Interrupts the evaluator whenever `reached` says so, for as long as this object lives. `reached` is called from
  /// the watchdog's thread, and neither it nor an interrupt is under way once this object is gone.
  class Watch {
   public:
    Watch(Watchdog& watchdog, Evaluator& evaluator, std::function<bool()> reached);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class Watchdog;

    Watchdog& watchdog_;
    Evaluator& evaluator_;
    std::function<bool()> reached_;
  };

 private:
  void run(const std::stop_token& end);
  void interrupt_where_reached();

  std::mutex mutex_;
  std::set<const Watch*> watches_;
  std::jthread thread_;  // last, so that it ends before the members that it uses
};

}  // namespace gemmtune
