// The operand recipe: which numbers are multiplied when a kernel is verified and timed. Never zeros.
//
// Counter-based, so that a worker in any language draws the same operands without being sent any: element i of tensor t
// under seed s depends on (s, t, i) alone. workers/PROTOCOL.md spells the recipe out with test vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/draw_rules.h"  // IWYU pragma: export
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {

std::string_view to_string(Recipe recipe);
std::optional<Recipe> parse_recipe(std::string_view text);

/// 64 well-mixed bits: number `index` (from 0) of the SplitMix64 sequence (Steele, Lea, Flood 2014) that starts at
/// mix(seed + tensor · g), that is
///   mix(mix(seed + tensor · g) + (index + 1) · g),  g = 0x9e3779b97f4a7c15, all modulo 2^64,
///   mix(z): z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb; z ^= z >> 31.
std::uint64_t counter_bits(std::uint64_t seed, Tensor tensor, std::uint64_t index);

/// About N(0, 1): the sum of the four 16-bit quarters of counter_bits, less 131070, times the float nearest to √3/65536
/// (0x1.bb67aep-16). Exact integer arithmetic and one float multiply, hence the same everywhere. |value| < 3.47.
float counter_gaussian(std::uint64_t seed, Tensor tensor, std::uint64_t index);

/// How one tensor of a problem is drawn (a bias of N is one row, a residual is batch · M rows of N; of the recipes only
/// one_sign changes these two), and how many of its scales are NaN: for whoever draws elsewhere than on the host.
OperandDraw operand_draw(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed);
std::int64_t spoiled_scales(const Problem& problem, Tensor tensor, Recipe recipe);

/// How many elements of A or the weights nan_inf makes NaN, and how many infinite after those. None of either where the
/// type has none. None are infinite where the activation is GELU or SiLU, because libraries differ on those of -Inf.
struct SpoiledElements {
  std::int64_t nans{};
  std::int64_t infinities{};

  auto operator<=>(const SpoiledElements&) const = default;
};
SpoiledElements spoiled_elements(const Problem& problem, Tensor tensor, Recipe recipe);

/// How wide_rows spreads the rows of A or the weights: as far as type and scales can hold and the results stay within
/// the range of floats. MX scales and those of whole tensors are also shifted: with seed % 3 = 1 those of A up and
/// those of the weights down by as much, with 2 the other way round.
RowSpread row_spread(const Problem& problem, Tensor tensor, std::uint64_t seed);

/// How many seeds, one after the other, show all that a recipe is to show: 3 where wide_rows shifts, else 1.
std::uint64_t seeds_of(const Problem& problem, Recipe recipe);

/// Whether a recipe other than gaussian changes anything for this problem's types.
bool differs_from_gaussian(const Problem& problem, Recipe recipe);

/// All inputs of a problem in host memory, stored as its layout says.
struct HostOperands {
  std::vector<std::byte> a{};
  std::vector<std::byte> a_scale{};
  std::vector<std::byte> w{};
  std::vector<std::byte> w_scale{};
  std::vector<std::byte> bias{};
  std::vector<std::byte> residual{};
};

/// Where its tensors are. The output is nowhere.
Operands operands_of(const HostOperands& host);

/// Draws A, weights, bias and residual as floats and quantises them (E8M0 scales in mode `even`), each batch for
/// itself; bias and residual are rounded to the output's type. The numbers do not depend on the layout; its gaps hold
/// gap_byte (gemm/relayout.h). Uses the machine's threads; the result does not depend on how many.
HostOperands draw_operands(const Problem& problem, Recipe recipe, std::uint64_t seed);

/// One tensor of draw_operands, without the gaps and the order of the problem's layout.
Quantised draw_tensor(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed);

/// Some of its rows, which count on through the batch, and their scales. None of the recipe's NaN and infinities are
/// among them. Scales of a whole tensor (`tensor`, nv_1x16) cannot be drawn so, and where groups of 128 or 32 rows
/// share scales, `rows` must consist of whole groups.
Quantised draw_rows(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed,
                    std::span<const std::int64_t> rows);

}  // namespace gemmtune
