// The state of a tuning run as one line of text. cli/tune/progress.h draws it.
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
  std::optional<Problem> latest{};  // the running shape with the most recent news
  double elapsed_s{};
};

/// The share of the work that is done: finished shapes, and the evaluated candidates of running ones.
double done_share(const ProgressState& state);

/// "[====>     ] 3/16 shapes, 2 failed, 42 s, 3 min left, 16x768x1024:bf16:bf16:bf16 45/118, best onednn_… 12.3 us",
/// cut to `width` characters.
std::string progress_line(const ProgressState& state, std::size_t width);

/// How much faster than the winner the fastest candidate may be, as the search states it: "0.8 %", never less than
/// "0.1 %". "-" for searches that state none, "no claim" where one of those that do could not, "not known" when the
/// winner's time has no error bar.
std::string regret_text(const ShapeResult& result);

/// The claim in full, or why there is none (search/claim.h). "" for searches that state none.
std::string claim_in_words(const ShapeResult& result);

/// The result of a shape: "[3/16] 16x768x1024:bf16:bf16:bf16: 12.3 us, 1.40x, cpu_tile_…, 2.5 s". With a `width`, the
/// kernel's name is cut so that the line is not longer, as far as that is possible.
std::string shape_line(const ShapeResult& result, std::size_t done, std::size_t shapes, std::size_t width = 0);

/// How many trials a shape took, and the claim in full.
std::string shape_details(const ShapeResult& result);

/// The time of the default choice divided by the time of the winner.
std::optional<double> speedup(const ShapeResult& result);

/// Whether the default choice, which the winner is compared with, gives wrong results.
bool default_is_wrong(const ShapeResult& result);

/// The speedup as text: "1.40x"; "default" when the default choice won; "tie" when its time does not differ from the
/// winner's; "1.40x (wrong)" when the default choice gives wrong results; "-" when there is nothing to compare.
std::string gain_text(const ShapeResult& result);

}  // namespace gemmtune
