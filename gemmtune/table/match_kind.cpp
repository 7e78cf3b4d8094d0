#include "gemmtune/table/match_kind.h"

#include <array>

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, match_kind_count> names{"exact", "padded_fine", "padded_coarse", "nearest",
                                                               "fallback"};

}  // namespace

std::string_view to_string(MatchKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<MatchKind> parse_match_kind(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<MatchKind>(i);
  return std::nullopt;
}

}  // namespace gemmtune
