// Races on invented machines, many times: how often what they claim is true, and what that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/search/invented_machine.h"

namespace gemmtune::invented {

enum class SpaceKind : std::uint8_t {
  dense,    // times follow from parameters but for 0.4 %, and many are within 1 to 3 % of the fastest
  rough,    // times have nothing to do with parameters
  outlier,  // as dense, and one candidate that nothing foretells is 20 % faster than all others
};

struct CalibrationCase {
  MachineNoise noise{};
  SpaceKind space{};
};

/// Means over all races, which run on all cores.
struct Calibration {
  CalibrationCase of{};
  std::int64_t races{};
  std::int64_t violated{};  // races whose regret was above what they stated
  double violated_share{};  // of all races
  double supposing{};  // the share of those violated that say that the times of candidates not measured are supposed
  double reached{};    // the share of races that stated at most what they aimed at
  double regret{};
  double worst_regret{};
  double stated{};         // the median
  double covered{};        // the share of the finalists' intervals, over all confirmations, that held the true time
  double device_ms{};      // of all launches
  double of_exhaustive{};  // as a share of the device time that confirming all candidates once takes
  double looked_at{};      // the share of candidates that were measured
};

std::string to_string(SpaceKind kind);

Calibration calibrate(const CalibrationCase& of, std::int64_t races, std::uint64_t seed);

/// A table in Markdown.
std::string table_of(const std::vector<Calibration>& calibrations);

}  // namespace gemmtune::invented
