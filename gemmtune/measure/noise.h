// Says in words that times scatter, for everybody who shows times.
#pragma once

#include <span>
#include <string>

namespace gemmtune {

/// A remark for readers of these times when more than half of them scatter by more than 5 %; otherwise "". Takes the
/// dispersion of each time (Timing::dispersion).
std::string noise_remark(std::span<const double> dispersions);

}  // namespace gemmtune
