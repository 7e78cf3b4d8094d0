#include "gemmtune/gemm/draw.h"

#include <array>
#include <cmath>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 5> names{"gaussian", "one_sign", "wide_exponents", "zero_blocks", "nan_scales"};
constexpr std::int64_t block_length = 32;
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

float gaussian_of(std::uint64_t bits) {
  constexpr std::uint64_t every_other = 0x0000ffff0000ffffULL;
  const std::uint64_t pairs = (bits & every_other) + ((bits >> 16) & every_other);
  const auto sum = static_cast<std::int32_t>(pairs) + static_cast<std::int32_t>(pairs >> 32);
  return static_cast<float>(sum - 131070) * 0x1.bb67aep-16F;
}

/// One tensor's numbers, with what depends on seed and tensor alone worked out once.
class Counter {
 public:
  Counter(std::uint64_t seed, Tensor tensor) : start_(mix(seed + static_cast<std::uint64_t>(tensor) * golden)) {}

  std::uint64_t bits(std::uint64_t index) const { return mix(start_ + (index + 1) * golden); }
  float gaussian(std::uint64_t index) const { return gaussian_of(bits(index)); }

 private:
  std::uint64_t start_{};
};

/// Rows × K of one operand, batches one below the other.
class OperandDraw {
 public:
  OperandDraw(Counter counter, Recipe recipe, std::int64_t rows, std::int64_t k)
      : counter_(counter), recipe_(recipe), rows_(rows), k_(k) {}

  void draw_row(std::int64_t row, std::span<float> out) const {
    for (std::int64_t i = 0; i < k_; ++i) out[i] = counter_.gaussian(row * k_ + i);
    if (recipe_ == Recipe::one_sign) {
      for (float& value : out) value = std::fabs(value);
    } else if (recipe_ == Recipe::wide_exponents || recipe_ == Recipe::zero_blocks) {
      scale_blocks(row, out);
    }
  }

  /// Rows of the whole tensor whose scale is made NaN, and the block in each.
  void spoil_scales(std::span<std::byte> scales, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = counter_.bits(row_stream + i);
      const auto row = static_cast<std::int64_t>((bits & 0xffffffffU) % rows_);
      const auto block = static_cast<std::int64_t>((bits >> 32) % blocks());
      scales[row * blocks() + block] = std::byte{255};
    }
  }

 private:
  std::int64_t blocks() const { return (k_ + block_length - 1) / block_length; }

  void scale_blocks(std::int64_t row, std::span<float> out) const {
    const bool zero = recipe_ == Recipe::zero_blocks && is_zero_row(row);
    for (std::int64_t block = 0; block < blocks(); ++block) {
      const std::int64_t first = block * block_length;
      const float factor = zero ? 0.0F : block_factor(row * blocks() + block);
      for (float& value : out.subspan(first, std::min(block_length, k_ - first)))
        value = factor == 0.0F ? 0.0F : value * factor;
    }
  }

  float block_factor(std::int64_t block) const {
    const std::uint64_t bits = counter_.bits(block_stream + block);
    if (recipe_ == Recipe::zero_blocks) return bits % 4 == 0 ? 0.0F : 1.0F;
    return std::ldexp(1.0F, static_cast<int>(bits % 25) - 12);
  }

  bool is_zero_row(std::int64_t row) const {
    const std::int64_t group = row / 16;
    if (group * 16 + 16 > rows_) return false;
    return row % 16 == static_cast<std::int64_t>(counter_.bits(row_stream + group) % 16);
  }

  Counter counter_;
  Recipe recipe_{};
  std::int64_t rows_{};
  std::int64_t k_{};
};

void append(std::vector<std::byte>& to, std::vector<std::byte>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

/// One operand's bytes, each batch quantised for itself.
Quantised quantise_batches(const OperandDraw& draw, const Problem& problem, std::int64_t rows, Side side) {
  Quantised all;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    const RowSource source = [&](std::int64_t first, std::int64_t count, std::span<float> scratch) {
      for (std::int64_t i = 0; i < count; ++i)
        draw.draw_row(batch * rows + first + i, scratch.subspan(i * problem.k, problem.k));
      return std::span<const float>(scratch);
    };
    Quantised one = quantise_rows(source, rows, problem.k, side);
    append(all.values, std::move(one.values));
    append(all.scales, std::move(one.scales));
  }
  return all;
}

Quantised draw_a(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  const std::int64_t rows = problem.batch * problem.m;
  const OperandDraw draw(Counter(seed, Tensor::a), recipe, rows, problem.k);
  Quantised a = quantise_batches(draw, problem, problem.m, problem.a);
  if (recipe == Recipe::nan_scales && problem.a.scaling == Scaling::mx_1x32) draw.spoil_scales(a.scales, rows / 32);
  return a;
}

/// Weights have a NaN scale however few their rows are, so that the recipe is never without one.
Quantised draw_w(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  const std::int64_t rows = problem.batch * problem.n;
  const OperandDraw draw(Counter(seed, Tensor::w), recipe, rows, problem.k);
  Quantised w = quantise_batches(draw, problem, problem.n, problem.w);
  if (recipe == Recipe::nan_scales && problem.w.scaling == Scaling::mx_1x32)
    draw.spoil_scales(w.scales, (rows + 31) / 32);
  return w;
}

std::vector<std::byte> draw_bias(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  if (!problem.bias) return {};
  std::vector<float> values(problem.n);
  OperandDraw(Counter(seed, Tensor::bias), recipe == Recipe::one_sign ? recipe : Recipe::gaussian, 1, problem.n)
      .draw_row(0, values);
  return quantise(values, 1, problem.n, Side{.type = problem.out, .scaling = Scaling::none}).values;
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

HostOperands draw_operands(const Problem& problem, Recipe recipe, std::uint64_t seed) {
  Quantised a = draw_a(problem, recipe, seed);
  Quantised w = draw_w(problem, recipe, seed);
  return {.a = std::move(a.values),
          .a_scale = std::move(a.scales),
          .w = std::move(w.values),
          .w_scale = std::move(w.scales),
          .bias = draw_bias(problem, recipe, seed)};
}

}  // namespace gemmtune
