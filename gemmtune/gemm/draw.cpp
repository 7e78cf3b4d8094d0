#include "gemmtune/gemm/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/gemm/relayout.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 7> names{"gaussian",   "one_sign",  "wide_exponents", "zero_blocks",
                                                "nan_scales", "wide_rows", "nan_inf"};

constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// The exponents of wide_rows. Results stay within 2^±96 times a sum of gaussian products: neither they nor what adds
// up to them overflows a float, or falls among its subnormal numbers.
constexpr std::int32_t wide_reach = 30;       // of floats, and of scales that are floats
constexpr std::int32_t mx_reach = 48;         // of E8M0 scales
constexpr std::int32_t mx_shift = 60;         // by which E8M0 scales come near both ends of their range
constexpr std::int32_t scale_shift = 20;      // of scales that are floats
constexpr std::int32_t f16_reach = 10;        // of elements, down to subnormal ones
constexpr std::int32_t f16_scale_reach = 14;  // likewise
constexpr std::int32_t narrow_reach = 5;      // of 8-bit elements without scales, and of all rows if outputs are f16

/// Rows that share scales, which are not the whole tensor's.
std::int64_t rows_of_group(Scaling scaling) { return shares_rows(scaling) ? scale_grid(scaling, 1, 1).row_block : 1; }

bool is_wide(DType type) { return type == DType::f32 || type == DType::tf32 || type == DType::bf16; }

bool has_nan(DType type) {
  return is_wide(type) || type == DType::f16 || type == DType::e4m3 || type == DType::e4m3fnuz;
}

bool has_infinity(DType type) { return is_wide(type) || type == DType::f16; }

/// The scales of a type with the range of floats are too small to be made smaller.
bool is_narrow_with_scales(const Side& side) { return has_scales(side.scaling) && !is_wide(side.type); }

std::int32_t reach_of(const Side& side) {
  if (has_e8m0_scales(side.scaling)) return mx_reach;
  if (side.scaling == Scaling::f16_1x32) return f16_scale_reach;
  if (side.scaling == Scaling::nv_1x16) return 0;
  if (has_scales(side.scaling)) return is_wide(side.type) || side.scaling == Scaling::tensor ? 0 : wide_reach;
  if (is_wide(side.type)) return wide_reach;
  return side.type == DType::f16 ? f16_reach : narrow_reach;
}

/// Rows of one group share their scales, so that elements alone tell them apart.
std::int32_t depth_of(const Side& side) {
  const bool shares = side.scaling == Scaling::tensor || side.scaling == Scaling::nv_1x16;
  if (!shares && !shares_rows(side.scaling)) return 0;
  if (is_wide(side.type)) return 0;
  return side.type == DType::i8 ? 4 : 8;
}

/// How far the two sides may be shifted apart. Scales of whole tensors are not spread by the reach of rows.
std::int32_t most_shift(const Problem& problem) {
  const Side& a = problem.a;
  const Side& w = problem.w;
  if (has_e8m0_scales(a.scaling) && has_e8m0_scales(w.scaling)) return mx_shift;
  if (has_e8m0_scales(a.scaling) || has_e8m0_scales(w.scaling)) return 0;
  const bool of_tensor = a.scaling == Scaling::tensor || w.scaling == Scaling::tensor;
  return of_tensor && is_narrow_with_scales(a) && is_narrow_with_scales(w) ? scale_shift : 0;
}

/// Of A. One seed of three has no shift.
std::int32_t shift_of(const Problem& problem, std::uint64_t seed) {
  if (seed % 3 == 0) return 0;
  return seed % 3 == 1 ? most_shift(problem) : -most_shift(problem);
}

void draw_row(const OperandDraw& draw, std::int64_t row, std::span<float> out) {
  for (std::int64_t i = 0; i < draw.k; ++i) out[i] = draw.counter.gaussian(row * draw.k + i);
  if (draw.recipe == Recipe::one_sign)
    for (float& value : out) value = std::fabs(value);
  if (draw.recipe == Recipe::wide_rows) {
    const float factor = draw.row_factor(row);
    for (float& value : out) value *= factor;
  }
  if (!draw.scales_blocks()) return;
  const bool zero = draw.is_zero_row(row);
  for (std::int64_t block = 0; block < draw.blocks(); ++block) {
    const std::int64_t first = block * OperandDraw::block_length;
    const float factor = zero ? 0.0F : draw.block_factor(row, block);
    for (float& value : out.subspan(first, std::min(OperandDraw::block_length, draw.k - first)))
      value = factor == 0.0F ? 0.0F : value * factor;
  }
}

void spoil_scales(const OperandDraw& draw, std::int64_t count, std::span<std::byte> scales) {
  for (std::int64_t i = 0; i < count; ++i) scales[draw.spoiled_scale(i)] = std::byte{255};
}

/// The elements [first, first + count) of those that are spoiled.
void spoil_elements(const OperandDraw& draw, DType type, std::int64_t first, std::int64_t count, float value,
                    std::span<std::byte> values) {
  with_codec(type, [&](auto codec) {
    for (std::int64_t i = first; i < first + count; ++i)
      store(values.data(), draw.spoiled_element(i), decltype(codec)::encode(value));
  });
}

void append(std::vector<std::byte>& to, std::vector<std::byte>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    const std::size_t before = to.size();
    to.resize(before + from.size());
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(before));
  }
}

Side side_of(const Problem& problem, Tensor tensor) {
  if (tensor == Tensor::a) return problem.a;
  return tensor == Tensor::w ? problem.w : Side{.type = problem.out, .scaling = Scaling::none};
}

/// Row i of what is quantised is drawn as row `number_of(i)`.
Quantised quantise_drawn(const OperandDraw& draw, Side side, std::int64_t rows,
                         const std::function<std::int64_t(std::int64_t)>& number_of) {
  const RowSource source = [&](std::int64_t first, std::int64_t count, std::span<float> scratch) {
    for (std::int64_t i = 0; i < count; ++i) draw_row(draw, number_of(first + i), scratch.subspan(i * draw.k, draw.k));
    return std::span<const float>(scratch);
  };
  return quantise_rows(source, rows, draw.k, side);
}

/// Each batch is quantised for itself.
Quantised quantise_batches(const OperandDraw& draw, Side side, std::int64_t batch) {
  Quantised all;
  const std::int64_t rows = draw.rows / batch;
  for (std::int64_t i = 0; i < batch; ++i) {
    Quantised one = quantise_drawn(draw, side, rows, [&](std::int64_t row) { return i * rows + row; });
    append(all.values, std::move(one.values));
    append(all.scales, std::move(one.scales));
  }
  return all;
}

std::vector<std::byte> stored(std::vector<std::byte> plain, const StoredMatrix& matrix, Major major) {
  return is_plain(matrix, major) ? std::move(plain) : to_stored(plain, matrix, major);
}

}  // namespace

std::string_view to_string(Recipe recipe) { return names[static_cast<std::size_t>(recipe)]; }

std::optional<Recipe> parse_recipe(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(text, names[i])) return static_cast<Recipe>(i);
  return std::nullopt;
}

std::uint64_t counter_bits(std::uint64_t seed, Tensor tensor, std::uint64_t index) {
  return Counter(seed, tensor).bits(index);
}

float counter_gaussian(std::uint64_t seed, Tensor tensor, std::uint64_t index) {
  return Counter(seed, tensor).gaussian(index);
}

OperandDraw operand_draw(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed) {
  const Counter counter(seed, tensor);
  if (tensor == Tensor::bias || tensor == Tensor::residual) {
    const auto simple = recipe == Recipe::one_sign ? recipe : Recipe::gaussian;
    const std::int64_t rows = tensor == Tensor::bias ? 1 : problem.batch * problem.m;
    return {.counter = counter, .recipe = simple, .rows = rows, .k = problem.n};
  }
  const std::int64_t rows = problem.batch * (tensor == Tensor::a ? problem.m : problem.n);
  const Scaling scaling = (tensor == Tensor::a ? problem.a : problem.w).scaling;
  return {.counter = counter,
          .recipe = recipe,
          .rows = rows,
          .k = problem.k,
          .spread = row_spread(problem, tensor, seed),
          .scale_length = with_float_scales(scaling) == scaling ? OperandDraw::block_length : 128};
}

RowSpread row_spread(const Problem& problem, Tensor tensor, std::uint64_t seed) {
  const bool is_a = tensor == Tensor::a;
  const Side side = is_a ? problem.a : problem.w;
  const std::int32_t reach = reach_of(side);
  const std::int32_t shift = shift_of(problem, seed);
  return {.shift = is_a ? shift : -shift,
          .reach = problem.out == DType::f16 ? std::min(reach, narrow_reach) : reach,
          .depth = depth_of(side),
          .rows_of_matrix = std::max<std::int64_t>(is_a ? problem.m : problem.n, 1),
          .rows_of_group = rows_of_group(side.scaling)};
}

std::int64_t spoiled_scales(const Problem& problem, Tensor tensor, Recipe recipe) {
  if (recipe != Recipe::nan_scales || (tensor != Tensor::a && tensor != Tensor::w)) return 0;
  const bool is_a = tensor == Tensor::a;
  const Scaling scaling = (is_a ? problem.a : problem.w).scaling;
  if (!has_e8m0_scales(scaling)) return 0;
  // Weights have one however few their rows are, so that the recipe is never without one.
  return is_a ? problem.batch * problem.m / 32 : ceil_div(problem.batch * problem.n, 32 * rows_of_group(scaling));
}

SpoiledElements spoiled_elements(const Problem& problem, Tensor tensor, Recipe recipe) {
  if (recipe != Recipe::nan_inf || (tensor != Tensor::a && tensor != Tensor::w)) return {};
  const bool is_a = tensor == Tensor::a;
  const DType type = is_a ? problem.a.type : problem.w.type;
  const std::int64_t rows = problem.batch * (is_a ? problem.m : problem.n);
  const std::int64_t some = (rows + 31) / 32;
  const auto activation = problem.epilogue.activation;
  const bool same_everywhere = activation == Activation::none || activation == Activation::relu;
  // At least one row is left as it was.
  return {.nans = has_nan(type) ? std::min(some, rows - 1) : 0,
          .infinities = has_infinity(type) && same_everywhere ? std::clamp<std::int64_t>(rows - 2, 0, some) : 0};
}

std::uint64_t seeds_of(const Problem& problem, Recipe recipe) {
  return recipe == Recipe::wide_rows && most_shift(problem) != 0 ? 3 : 1;
}

bool differs_from_gaussian(const Problem& problem, Recipe recipe) {
  if (recipe == Recipe::nan_scales) return has_e8m0_scales(problem.a.scaling) || has_e8m0_scales(problem.w.scaling);
  if (recipe == Recipe::nan_inf) return has_nan(problem.a.type) || has_nan(problem.w.type);
  return true;
}

Operands operands_of(const HostOperands& host) {
  return {.a = host.a.data(),
          .a_scale = host.a_scale.data(),
          .w = host.w.data(),
          .w_scale = host.w_scale.data(),
          .bias = host.bias.data(),
          .residual = host.residual.data()};
}

Quantised draw_tensor(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed) {
  const Side side = side_of(problem, tensor);
  const auto draw = operand_draw(problem, tensor, recipe, seed);
  Quantised drawn = quantise_batches(draw, side, tensor == Tensor::bias ? 1 : problem.batch);
  spoil_scales(draw, spoiled_scales(problem, tensor, recipe), drawn.scales);
  const auto [nans, infinities] = spoiled_elements(problem, tensor, recipe);
  spoil_elements(draw, side.type, 0, nans, quiet_nan, drawn.values);
  spoil_elements(draw, side.type, nans, infinities, infinity, drawn.values);
  return drawn;
}

Quantised draw_rows(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed,
                    std::span<const std::int64_t> rows) {
  const auto draw = operand_draw(problem, tensor, recipe, seed);
  return quantise_drawn(draw, side_of(problem, tensor), std::ssize(rows), [&](std::int64_t i) { return rows[i]; });
}

HostOperands draw_operands(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  Quantised a = draw_tensor(problem, Tensor::a, recipe, seed);
  Quantised w = draw_tensor(problem, Tensor::w, recipe, seed);
  HostOperands all{.a = stored(std::move(a.values), stored_a(problem), problem.layout.a),
                   .a_scale = std::move(a.scales),
                   .w = stored(std::move(w.values), stored_w(problem), problem.layout.w),
                   .w_scale = std::move(w.scales)};
  if (problem.epilogue.bias) all.bias = draw_tensor(problem, Tensor::bias, recipe, seed).values;
  if (problem.epilogue.residual)
    all.residual = stored(draw_tensor(problem, Tensor::residual, recipe, seed).values, stored_c(problem), Major::k);
  return all;
}

}  // namespace gemmtune
