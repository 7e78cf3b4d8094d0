// The summary of a tuning run: the winner of each shape, how the time was spent, which candidates failed, and how to
// reproduce the failures.
#pragma once

#include <string>

#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/tune/packing_look.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

struct RunSummary {
  TuneInputs inputs{};
  std::vector<ShapeResult> results{};
  double wall_s{};
  std::size_t workers{1};
  std::vector<PackingGain> packing{};      // what packed weights would gain
  std::vector<std::string> remarks{};      // of the workers, on how results were made
  std::vector<Quarantined> quarantined{};  // of these shapes on this model of device
  std::vector<DamagedRow> damaged{};       // rows of the store that were skipped
  std::string store{};                     // its path
  bool lists_winners{true};                // otherwise they are only counted
  bool knows_ties{true};                   // otherwise nothing is said of them
  bool list_already_tuned{};               // name each of them; otherwise only their number is given
  std::size_t width{};                     // of lines, where names can be cut; 0: as wide as needed
};

struct ShapeCounts {
  std::size_t tuned{};
  std::size_t failed{};  // tried without a winner
  std::size_t not_reached{};
  std::size_t skipped{};   // already tuned, or too large
  std::size_t rejected{};  // lines
};

/// The quarantined candidates of these shapes on this model of device.
std::vector<Quarantined> quarantined_of(const std::vector<Shape>& shapes, const DeviceInfo& device,
                                        const TrialStore& store);

ShapeCounts count_shapes(const RunSummary& run);

std::string summary_text(const RunSummary& run);

}  // namespace gemmtune
