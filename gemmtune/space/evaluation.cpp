#include "gemmtune/space/evaluation.h"

#include <array>
#include <limits>

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 3> names{"screen", "confirm", "prove"};

}  // namespace

std::string_view to_string(Stage stage) { return names[static_cast<std::size_t>(stage)]; }

std::optional<Stage> parse_stage(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Stage>(i);
  return std::nullopt;
}

std::int64_t memory_bytes(const Timing& timing) {
  std::int64_t sum = 0;
  const bool overflows = __builtin_add_overflow(timing.workspace_bytes, timing.packed_bytes, &sum);
  return overflows ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace gemmtune
