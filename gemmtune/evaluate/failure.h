// How what a step of a candidate throws becomes data: an outcome and its reason. Nothing here ends the work of others.
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

/// What to call it when a step throws.
struct Blame {
  Outcome refusal{};  // Error{unsupported}
  Outcome error{};    // anything else
};

inline constexpr Blame blame_prepare{.refusal = Outcome::unsupported, .error = Outcome::compile_failed};
inline constexpr Blame blame_launch{.refusal = Outcome::launch_failed, .error = Outcome::launch_failed};

/// Runs the step. Running out of memory is launch_failed whoever is to blame.
std::optional<Failure> failure_of(Blame blame, const std::function<void()>& step);

}  // namespace gemmtune
