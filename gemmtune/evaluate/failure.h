// Turns what a step of a candidate throws into data: an outcome and a reason.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gemmtune/space/outcome.h"

namespace gemmtune {

struct Failure {
  Outcome outcome{};
  std::string reason{};
};

/// The outcomes for what a step throws.
struct Blame {
  Outcome refusal{};  // Error{unsupported}
  Outcome error{};    // anything else
};

inline constexpr Blame blame_prepare{.refusal = Outcome::unsupported, .error = Outcome::compile_failed};
inline constexpr Blame blame_launch{.refusal = Outcome::launch_failed, .error = Outcome::launch_failed};

/// Runs the step. Running out of memory is launch_failed, whichever outcomes `blame` names.
std::optional<Failure> failure_of(Blame blame, const std::function<void()>& step);

}  // namespace gemmtune
