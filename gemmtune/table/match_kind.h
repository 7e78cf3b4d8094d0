// How a lookup found its answer. Every answer states it, and every captured call records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemmtune {

/// In the order in which a lookup tries them.
enum class MatchKind : std::uint8_t {
  exact,          // a row for this very problem
  padded_fine,    // a row for M padded finely (table/padded_m.h)
  padded_coarse,  // a row for M padded coarsely
  nearest,        // a row for the nearest M within a stated bound; the same N, K, types and device
  fallback,       // no row: a rule chose
};

inline constexpr std::uint8_t match_kind_count = 5;

/// "exact", "padded_fine", …
std::string_view to_string(MatchKind kind);
std::optional<MatchKind> parse_match_kind(std::string_view text);

}  // namespace gemmtune
