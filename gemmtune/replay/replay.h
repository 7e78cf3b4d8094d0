// Runs searches on recorded shapes, again and again with newly drawn noise, and holds what they chose against the best
// there was.
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
  std::string winner{};       // "": it found none
  double regret{};            // share by which the winner's recorded median lies above the least
  double device_s{};          // kernels: warm-up, samples, settling of the clock
  double overhead_s{};        // preparing and verifying
  std::int64_t looked_at{};   // candidates
  std::int64_t candidates{};  // there are
  std::optional<RegretClaim> claim{};
};

/// The names of all that can be replayed: the tuner's own, and "tunableop" (tunable_op.h).
std::vector<std::string> replayable_searches();

/// `shape` has all of it confirmed. What it sees goes to `neighbours`, as it comes from there.
SearchRun search_once(std::string_view search, const RecordedShape& shape, std::uint64_t seed, Neighbours& neighbours);

struct ReplayedShape {
  RecordedShape recorded{};
  double best_us{};
  std::vector<std::vector<SearchRun>> runs{};  // of each search, its repeats
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

/// The same for the same seed, on every machine. Shapes without a right candidate are left out.
Replay replay(const Recording& recording, const ReplayOptions& options);

}  // namespace gemmtune
