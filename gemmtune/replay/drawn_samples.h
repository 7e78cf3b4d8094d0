// A timer whose times are drawn from recorded samples.
//
// Recorded turns stand in the order in which they were taken. Launches that are timed at one moment of a replay draw
// from turns of one moment of the recording, as a share of its length: when a GPU at its power limit was slow in one
// round of turns, it was slow for all kernels, and a replay that drew each kernel's turn by itself would show a noise
// that interleaving removes.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/measure/samples.h"

namespace gemmtune {

class DrawingTimer final : public Timer {
 public:
  explicit DrawingTimer(std::mt19937_64& engine) : engine_(engine) {}

  /// What launches draw from until the next call. The samples must outlive that.
  void use(std::span<const double> samples_us) { turns_ = {samples_us}; }
  void use(const Samples& samples) { turns_ = turns_of(samples); }

  /// Goes on to another moment, drawn at random.
  void go_on() { moment_ = static_cast<double>(engine_() >> 11U) / 9007199254740992.0; }

  /// All of these launches draw from the turn of this moment: what the samples of a turn have in common, launches that
  /// follow each other have in common, too.
  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;

  /// The time of all launches since the last call, in seconds.
  double take_spent_s();

 private:
  std::mt19937_64& engine_;
  std::vector<std::span<const double>> turns_{};
  double moment_{};  // in [0, 1)
  double spent_us_{};
};

}  // namespace gemmtune
