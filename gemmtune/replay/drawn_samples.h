// A timer whose times are drawn from recorded samples.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {

class DrawingTimer final : public Timer {
 public:
  explicit DrawingTimer(std::mt19937_64& engine) : engine_(engine) {}

  /// The samples that launches draw from until the next call.
  void use(std::span<const double> samples_us) { samples_us_ = samples_us; }

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;

  /// The time of all launches since the last call, in seconds.
  double take_spent_s();

 private:
  std::mt19937_64& engine_;
  std::span<const double> samples_us_{};
  double spent_us_{};
};

}  // namespace gemmtune
