// How a lookup found its answer. Every answer states it, and every captured call records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemmtune {

/// The kinds in the order in which a lookup tries them.
enum class MatchKind : std::uint8_t {
  exact,          // a row for exactly this problem
  padded_fine,    // a row for M padded in fine steps (table/padded_m.h)
  padded_coarse,  // a row for M padded in coarse steps
  nearest,        // a row for the nearest M within a given bound; N, K, types and device are the same
  fallback,       // no row: a rule chose
};

inline constexpr std::uint8_t match_kind_count = 5;

/// The name of the kind: "exact", "padded_fine", …
std::string_view to_string(MatchKind kind);
std::optional<MatchKind> parse_match_kind(std::string_view text);

}  // namespace gemmtune
