// Which of the captured shapes are worth tuning: each is weighted by its calls × the time that a tuned kernel would
// save.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/shapes/tuned_times.h"
#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// The share of a call's time that tuning for its own M is assumed to save if no tuned row says more. An exact match
/// saves nothing.
double share_saved(MatchKind match);

/// The microseconds that tuning would save in one call:
///   0 if a table now has a row for it, or if it matched exactly and no tables are given;
///   its time minus that of tuned neighbours in M, if both are known;
///   otherwise a share (share_saved) of its time, of its neighbours' time or, if nothing is known, of a rough estimate
///   (shapes/tuning_cost.h). A call that matched exactly but no longer has a row counts like a fallback.
double saved_us(const CapturedProblem& captured, const TunedTimes& times);

struct CaptureShapes {
  std::vector<Shape> shapes{};  // heaviest first; weight: µs saved by all calls
  std::size_t settled{};        // captured problems for which tuning gains nothing
  std::int64_t calls{};         // calls of all captured problems
  std::int64_t settled_calls{};
};

CaptureShapes capture_shapes(std::span<const CapturedProblem> captured, const TunedTimes& times);

}  // namespace gemmtune
