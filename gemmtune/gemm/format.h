// The named formats. A name is shorthand for a Problem's types. Those of AITER's tuners (a16w16, a8w8, a8w8_blockscale,
// a8w8_bpreshuffle, a4w4, batched_a16w16, batched_a8w8) also select the table dialect. The others are those of weights
// in 4-bit and 8-bit blocks with activations that are floats: a16w4, a8w4, a16w4_nvfp4, a8w4_nvfp4, a8wq4, a8wq8;
// mxfp8, of which both sides are E4M3 in blocks of 32; and a16w8, a16w8_blockscale and a16w4_fp8, of which each call
// quantises A to E4M3. Their tables state each problem.
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
  a16w4,
  a8w4,
  a16w4_nvfp4,
  a8w4_nvfp4,
  a8wq4,
  a8wq8,
  mxfp8,
  a16w8,
  a16w8_blockscale,
  a16w4_fp8,
};

std::string_view to_string(Format format);
std::optional<Format> parse_format(std::string_view text);
const std::vector<Format>& all_formats();

/// Whether AITER's tables have columns for the format.
bool is_aiter(Format format);

/// A problem of 0×0×0 with the format's usual types: bf16 for a16w16, int8 per token × per channel for a8w8, e4m3 with
/// 1×128 and 128×128 blocks for a8w8_blockscale, packed e4m3 in rows for a8w8_bpreshuffle, packed e2m1 for a4w4, packed
/// e4m3 with an E8M0 scale for each 1×32 for mxfp8. For a16w8 and a16w8_blockscale A is bf16, which each call quantises
/// to e4m3 per token × e4m3 per channel, and to 1×128 blocks × e4m3 with 128×128 blocks. For the others, A is bf16,
/// which each call quantises to e4m3 per token for a16w4_fp8 and to int8 in blocks of 32 where the name says a8, and
/// the packed weights are MXFP4, NVFP4, Q4_0 or Q8_0.
Problem format_defaults(Format format);

/// The format that a problem belongs to, if any: f32 counts as a16w16, and per-tensor scales count as a8w8. f16 and f32
/// as A count as bf16. Weights with 32×32 blocks are mxfp8 as well, and weights with one scale are a16w8 as well.
std::optional<Format> format_of(const Problem& problem);

/// Whether floats, as they are or quantised by the call, are multiplied by weights of a type of their own, so that A's
/// type says nothing about the weights'.
bool has_own_weight_type(const Problem& problem);

/// Sets the type of the inputs, as one name says it for both: of A alone where the weights have a type of their own.
void set_input_types(Problem& problem, DType type);

}  // namespace gemmtune
