// Parses durations as people type them.
#pragma once

#include <optional>
#include <string_view>

namespace gemmtune {

/// Seconds of "90", "90s", "10m", "1h", "1h30m", "0.5h". Nothing for any other text, and for durations that are not
/// above 0.
std::optional<double> parse_duration(std::string_view text);

}  // namespace gemmtune
