// How the state of a tuning run reads on one line. Text only: cli/tune/progress.h draws it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// A shape being tuned.
struct RunningShape {
  std::size_t candidates{};
  std::size_t evaluated{};
  std::optional<Evaluation> best{};
};

struct ProgressState {
  std::size_t shapes{};
  std::size_t done{};
  std::size_t failed{};  // shapes
  std::size_t failed_candidates{};
  std::map<Problem, RunningShape> running{};
  std::optional<Problem> latest{};  // the running shape that something was last heard of
  double elapsed_s{};
};

/// Share of the work that is done: shapes, and of the running ones the candidates.
double done_share(const ProgressState& state);

/// [====>     ] 3/16 shapes, 2 failed, 42 s, 3 min left, 16x768x1024:bf16:bf16:bf16 45/118, best onednn_… 12.3 us; cut
/// to `width`.
std::string progress_line(const ProgressState& state, std::size_t width);

/// By how much the fastest may be faster than the winner, as the search states it: "0.8 %", or "-".
std::string regret_text(const ShapeResult& result);

/// What came of a shape: [3/16] 16x768x1024:bf16:bf16:bf16: cpu_tile_… 12.3 us, 2.05 TFLOPS, against the
/// default: 1.40x, …
std::string shape_line(const ShapeResult& result, std::size_t done, std::size_t shapes);

/// How many times as fast as the default choice the winner is.
std::optional<double> speedup(const ShapeResult& result);

/// Whether the winner is compared with something that is not right.
bool default_is_wrong(const ShapeResult& result);

/// The same for people: 1.40x; "default" when the default choice won, "tie" when it cannot be told apart from the
/// winner, 1.40x (wrong) when the default choice is not right, "-" when there is nothing to compare.
std::string gain_text(const ShapeResult& result);

}  // namespace gemmtune
