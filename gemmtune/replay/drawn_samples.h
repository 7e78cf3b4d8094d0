// A timer whose times are drawn from recorded samples.
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

  /// All of these launches draw from one of the recorded turns: what the samples of a turn have in common, launches
  /// that follow each other have in common, too.
  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;

  /// The time of all launches since the last call, in seconds.
  double take_spent_s();

 private:
  std::mt19937_64& engine_;
  std::vector<std::span<const double>> turns_{};
  double spent_us_{};
};

}  // namespace gemmtune
