// Which of the shapes that a process asked for are worth tuning: shapes weighted by calls × the time that a tuned
// kernel would save.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/shapes/tuned_times.h"
#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

/// The share of a call's time that tuning for its own M is assumed to save when no tuned row says more. An exact
/// match saves nothing.
double share_saved(MatchKind match);

/// Microseconds that one call would save:
///   0 where a table has a row for it by now, or where it matched exactly and no tables are given;
///   its time less that of tuned neighbours in M, where both are known;
///   else a share of its time (share_saved), of its neighbours' or, where nothing is known, of a rough estimate
///   (shapes/tuning_cost.h). A call that matched exactly but has no row any more is like one that fell back.
double saved_us(const CapturedProblem& captured, const TunedTimes& times);

struct CaptureShapes {
  std::vector<Shape> shapes{};  // heaviest first; weight: µs saved by all calls
  std::size_t settled{};        // captured problems of which nothing is to be gained
  std::int64_t calls{};         // of all that was captured
  std::int64_t settled_calls{};
};

CaptureShapes capture_shapes(std::span<const CapturedProblem> captured, const TunedTimes& times);

}  // namespace gemmtune
