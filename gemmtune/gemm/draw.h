// The operand recipe: which numbers are multiplied when a kernel is verified and timed. Never zeros.
//
// Counter-based, so that a worker in any language draws the same operands without being sent any: element i of tensor t under
// seed s depends on (s, t, i) alone. workers/PROTOCOL.md spells the recipe out with test vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

enum class Tensor : std::uint64_t { a = 1, w = 2, bias = 3 };

/// What the drawn values look like before they are quantised.
enum class Recipe : std::uint8_t {
  gaussian,        // about N(0, 1): the default, and what is timed
  one_sign,        // all positive: nothing cancels, so lost low bits add up
  wide_exponents,  // each block of 32 along K scaled by 2^[-12, 12]: scales far apart within a row
  zero_blocks,     // a quarter of the blocks of 32 are zero, whole rows among them
  nan_scales,      // mx_1x32 only: a few scale bytes are 255; rows and columns they touch must come out NaN
};

std::string_view to_string(Recipe recipe);
std::optional<Recipe> parse_recipe(std::string_view text);

/// 64 well-mixed bits of (seed, tensor, index): SplitMix64's finaliser over a counter (Steele, Lea, Flood 2014).
std::uint64_t counter_bits(std::uint64_t seed, Tensor tensor, std::uint64_t index);

/// About N(0, 1), from the sum of the four 16-bit quarters of counter_bits: exact integer arithmetic and one float multiply,
/// hence the same everywhere. |value| < 3.47.
float counter_gaussian(std::uint64_t seed, Tensor tensor, std::uint64_t index);

/// All inputs of a problem in host memory.
struct HostOperands {
  std::vector<std::byte> a{};
  std::vector<std::byte> a_scale{};
  std::vector<std::byte> w{};
  std::vector<std::byte> w_scale{};
  std::vector<std::byte> bias{};
};

/// Draws and quantises A, weights and bias. Uses the machine's threads; the result does not depend on how many.
HostOperands draw_operands(const Problem& problem, Recipe recipe, std::uint64_t seed);

}  // namespace gemmtune
