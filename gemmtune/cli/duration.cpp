#include "gemmtune/cli/duration.h"

#include <cmath>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::optional<double> seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    default:
      return std::nullopt;
  }
}

std::optional<double> positive(std::optional<double> seconds) {
  return seconds && std::isfinite(*seconds) && *seconds > 0 ? seconds : std::nullopt;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  if (const auto seconds = parse_double(text)) return positive(seconds);
  double total = 0;
  while (!text.empty()) {
    const auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) return std::nullopt;
    const auto number = parse_double(text.substr(0, end));
    const auto unit = seconds_of(text[end]);
    if (!number || !unit) return std::nullopt;
    total += *number * *unit;
    text.remove_prefix(end + 1);
  }
  return positive(total);
}

}  // namespace gemmtune
