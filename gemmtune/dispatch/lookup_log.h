// Logs the answer to each distinct problem once, for GEMMTUNE_LOG_TUNED_CONFIG: a server asks for the same few
// hundred problems millions of times.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/dispatch/inherited.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Takes one line without its end. Called from any thread, but never from two at once. Must not throw.
using LineSink = std::function<void(const std::string&)>;

/// Writes "gemmtune: " and the line to stderr.
LineSink stderr_sink();

class LookupLog {
 public:
  static constexpr std::size_t most_problems = 100'000;  // after this many, the log says so and stops

  explicit LookupLog(LineSink sink);

  void note(const Problem& problem, const Answer& answer) noexcept;

  void after_fork_in_child() { seen_.after_fork_in_child(); }

 private:
  LineSink sink_;
  Inherited<std::set<Problem>> seen_{};
};

}  // namespace gemmtune
