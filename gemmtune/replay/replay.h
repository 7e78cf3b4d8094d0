// Runs searches on recorded shapes, many times with newly drawn noise, and compares what they choose with the best
// candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/replay/recording.h"
#include "gemmtune/search/strategy.h"

namespace gemmtune {

/// One search of one shape.
struct SearchRun {
  std::string winner{};       // empty when it found none
  double regret{};            // the share by which the winner's true time is above the least
  double device_s{};          // of kernels: warm-up, samples and settling of the clock
  double overhead_s{};        // preparing and verifying
  std::int64_t looked_at{};   // candidates that it tried
  std::int64_t candidates{};  // candidates that there are
  std::optional<RegretClaim> claim{};
};

/// The names of all searches that can be replayed: the tuner's own, and "tunableop" (tunable_op.h).
std::vector<std::string> replayable_searches();

/// Searches one shape once. `shape` comes from with_all_confirmed(). The search reads from `neighbours`, and the times
/// that it saw are added there.
SearchRun search_once(std::string_view search, const RecordedShape& shape, std::uint64_t seed, Neighbours& neighbours);

struct ReplayedShape {
  RecordedShape recorded{};
  double best_us{};
  std::vector<std::vector<SearchRun>> runs{};  // for each search, one for each repeat
};

struct ReplayOptions {
  std::vector<std::string> searches{};
  std::int64_t repeats{20};
  std::uint64_t seed{0};
};

struct Replay {
  ReplayOptions options{};
  std::vector<ReplayedShape> shapes{};
};

/// The result depends only on its arguments, on every machine. Shapes without a right candidate are left out.
Replay replay(const Recording& recording, const ReplayOptions& options);

}  // namespace gemmtune
