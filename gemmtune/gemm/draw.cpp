#include "gemmtune/gemm/draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/gemm/relayout.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 5> names{"gaussian", "one_sign", "wide_exponents", "zero_blocks", "nan_scales"};
void draw_row(const OperandDraw& draw, std::int64_t row, std::span<float> out) {
  for (std::int64_t i = 0; i < draw.k; ++i) out[i] = draw.counter.gaussian(row * draw.k + i);
  if (draw.recipe == Recipe::one_sign)
    for (float& value : out) value = std::fabs(value);
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

void append(std::vector<std::byte>& to, std::vector<std::byte>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    const std::size_t before = to.size();
    to.resize(before + from.size());
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(before));
  }
}

/// One operand's bytes, each batch quantised for itself.
Quantised quantise_batches(const OperandDraw& draw, const Problem& problem, std::int64_t rows, Side side) {
  Quantised all;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    const RowSource source = [&](std::int64_t first, std::int64_t count, std::span<float> scratch) {
      for (std::int64_t i = 0; i < count; ++i)
        draw_row(draw, batch * rows + first + i, scratch.subspan(i * problem.k, problem.k));
      return std::span<const float>(scratch);
    };
    Quantised one = quantise_rows(source, rows, problem.k, side);
    append(all.values, std::move(one.values));
    append(all.scales, std::move(one.scales));
  }
  return all;
}

Quantised draw_operand(const Problem& problem, Tensor tensor, Recipe recipe, std::uint64_t seed) {
  const Side side = tensor == Tensor::a ? problem.a : problem.w;
  const auto draw = operand_draw(problem, tensor, recipe, seed);
  Quantised drawn = quantise_batches(draw, problem, draw.rows / problem.batch, side);
  spoil_scales(draw, spoiled_scales(problem, tensor, recipe), drawn.scales);
  return drawn;
}

/// A tensor in the output's type, without gaps; nothing for one that the problem does not have.
std::vector<std::byte> draw_unscaled(const OperandDraw& draw, DType type) {
  std::vector<std::byte> all;
  std::vector<float> values(draw.k);
  for (std::int64_t row = 0; row < draw.rows; ++row) {
    draw_row(draw, row, values);
    append(all, quantise(values, 1, draw.k, Side{.type = type, .scaling = Scaling::none}).values);
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
  return {.counter = counter, .recipe = recipe, .rows = rows, .k = problem.k};
}

std::int64_t spoiled_scales(const Problem& problem, Tensor tensor, Recipe recipe) {
  if (recipe != Recipe::nan_scales || (tensor != Tensor::a && tensor != Tensor::w)) return 0;
  const bool is_a = tensor == Tensor::a;
  if ((is_a ? problem.a : problem.w).scaling != Scaling::mx_1x32) return 0;
  // Weights have one however few their rows are, so that the recipe is never without one.
  return is_a ? problem.batch * problem.m / 32 : (problem.batch * problem.n + 31) / 32;
}

HostOperands draw_operands(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  Quantised a = draw_operand(problem, Tensor::a, recipe, seed);
  Quantised w = draw_operand(problem, Tensor::w, recipe, seed);
  HostOperands all{.a = stored(std::move(a.values), stored_a(problem), problem.layout.a),
                   .a_scale = std::move(a.scales),
                   .w = stored(std::move(w.values), stored_w(problem), problem.layout.w),
                   .w_scale = std::move(w.scales)};
  if (problem.epilogue.bias) all.bias = draw_unscaled(operand_draw(problem, Tensor::bias, recipe, seed), problem.out);
  if (problem.epilogue.residual)
    all.residual = stored(draw_unscaled(operand_draw(problem, Tensor::residual, recipe, seed), problem.out),
                          stored_c(problem), Major::k);
  return all;
}

}  // namespace gemmtune
