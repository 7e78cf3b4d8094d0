// The named formats of AITER's tuners: a16w16, a8w8, a8w8_blockscale, a8w8_bpreshuffle, a4w4, batched_a16w16,
// batched_a8w8. A name is shorthand for a Problem's types; it selects the table dialect.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

enum class Format : std::uint8_t {
  a16w16,
  a8w8,
  a8w8_blockscale,
  a8w8_bpreshuffle,
  a4w4,
  batched_a16w16,
  batched_a8w8,
};

std::string_view to_string(Format format);
std::optional<Format> parse_format(std::string_view text);
const std::vector<Format>& all_formats();

/// A problem of 0×0×0 with the format's usual types: bf16 for a16w16, int8 per token × per channel for a8w8, e4m3 with
/// 1×128 and 128×128 blocks for a8w8_blockscale, packed e4m3 in rows for a8w8_bpreshuffle, packed e2m1 for a4w4.
Problem format_defaults(Format format);

/// The AITER format that a problem belongs to, if any: f32 counts as a16w16, and per-tensor scales count as a8w8.
std::optional<Format> format_of(const Problem& problem);

}  // namespace gemmtune
