#include "gemmtune/dispatch/lookup_log.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "gemmtune/core/visible.h"
#include "gemmtune/dispatch/explain.h"

namespace gemmtune {

LineSink stderr_sink() {
  return [](const std::string& line) { fmt::print(stderr, "gemmtune: {}\n", visible(line)); };
}

LookupLog::LookupLog(LineSink sink) : sink_(std::move(sink)) {}

void LookupLog::note(const Problem& problem, const Answer& answer) noexcept {
  try {
    seen_.with([&](std::set<Problem>& seen) {
      if (seen.size() >= most_problems || !seen.insert(problem).second) return;
      sink_(fmt::format("{}: {}", to_string(problem), answer_text(answer)));
      if (seen.size() == most_problems) sink_(fmt::format("{} problems logged: no more of them", most_problems));
    });
  } catch (const std::exception&) {
    // A missing line in the log is better than a lookup that fails.
  }
}

}  // namespace gemmtune
