#include "gemmtune/space/outcome.h"

#include <array>

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 7> names{"ok",           "unsupported", "compile_failed", "launch_failed",
                                                "wrong_result", "timed_out",   "crashed"};

}  // namespace

std::string_view to_string(Outcome outcome) { return names[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Outcome>(i);
  return std::nullopt;
}

}  // namespace gemmtune
