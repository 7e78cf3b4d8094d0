// What a program asks of a runtime when it opens one.
#pragma once

#include <chrono>
#include <string>

#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/runtime/planner.h"

namespace gemmtune {

enum class CompilePolicy : std::uint8_t { in_plan, in_prewarm };

struct RuntimeOptions {
  std::string device{};            // "": the first GPU, or else the CPU
  DispatcherOptions dispatcher{};  // the runtime fills in the device
  PlannerRules planner{};
  CompilePolicy compile{CompilePolicy::in_plan};
  std::chrono::milliseconds reload_interval{0};  // 0: tables are looked at only when poll() is called
  bool logs_plans{};                             // one line for each problem
  bool has_summary{};                            // when the runtime is closed, or the process exits
  LineSink say{stderr_sink()};                   // may be called from several threads
};

/// The options that the environment states. `say` is called by one thread at a time.
RuntimeOptions runtime_options(const Environment& environment, const LineSink& say);

}  // namespace gemmtune
