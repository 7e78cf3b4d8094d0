#include "gemmtune/verify/gpu/gpu_draw.h"

#include <algorithm>
#include <limits>

#include "gemmtune/gemm/fp8_in_call.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t elements_of_a_warp = 1024;  // of a group that one warp quantises
constexpr std::int64_t most_batches = 65535;       // along a grid's y

unsigned batches_of(const OperandShape& shape) { return static_cast<unsigned>(std::min(shape.batch, most_batches)); }

bool is_known(Scaling scaling) {
  switch (scaling) {
    case Scaling::none:
    case Scaling::tensor:
    case Scaling::row:
    case Scaling::block_1x128:
    case Scaling::block_128x128:
    case Scaling::mx_1x32:
    case Scaling::mx_32x32:
    case Scaling::fp8_1x128:
    case Scaling::fp8_row:
    case Scaling::e8m0_1x128:
    case Scaling::e8m0_128x128:
      return true;
    case Scaling::nv_1x16:
    case Scaling::f16_1x32:
    case Scaling::q8_in_call:
      return false;
  }
  return false;
}

LaunchShape shape_for(std::int64_t count) {
  return {.grid = {static_cast<unsigned>(ceil_div(count, threads))}, .block = {threads}};
}

/// Elements along K that share a scale of a call which quantises to E4M3, or 0.
std::int64_t fp8_group(Scaling scaling, std::int64_t k) {
  if (scaling == Scaling::fp8_row) return k;
  return scaling == Scaling::fp8_1x128 ? fp8_in_call_length : 0;
}

}  // namespace

bool has_known_scales(const Problem& problem) { return is_known(problem.a.scaling) && is_known(problem.w.scaling); }

OperandShape operand_shape(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k) {
  const auto grid = scale_grid(side.scaling, rows, k);
  const bool scaled = has_scales(side.scaling);
  return {.batch = batch,
          .rows = rows,
          .k = k,
          .row_block = scaled ? grid.row_block : 1,
          .k_block = scaled ? grid.k_block : k,
          .scale_rows = grid.rows,
          .scale_cols = grid.cols,
          .scales = !scaled                    ? ScaleKind::none
                    : grid.type == DType::e8m0 ? ScaleKind::e8m0
                                               : ScaleKind::f32,
          .fp8_group = fp8_group(side.scaling, k)};
}

StoredOperand stored_at(std::byte* values, std::byte* scales) {
  return {reinterpret_cast<unsigned char*>(values), reinterpret_cast<unsigned char*>(scales)};
}

void GpuDraw::draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) {
  const auto draw_side = [&](Tensor tensor, const Target& target) {
    const auto rule = operand_draw(problem, tensor, recipe, seed);
    draw_operand(rule, target);
    if (const auto spoiled = spoiled_scales(problem, tensor, recipe); spoiled > 0)
      kernels_->launch(target.type, "spoil_scales", shape_for(spoiled), rule, target.to.scales, spoiled);
    // One after the other: an element that is chosen twice is infinite, as on the host.
    const auto [nans, infinities] = spoiled_elements(problem, tensor, recipe);
    spoil_elements(rule, target, {.first = 0, .count = nans, .value = std::numeric_limits<float>::quiet_NaN()});
    spoil_elements(rule, target, {.first = nans, .count = infinities, .value = std::numeric_limits<float>::infinity()});
  };
  draw_side(Tensor::a, {.type = problem.a.type,
                        .shape = operand_shape(problem.a, problem.batch, problem.m, problem.k),
                        .to = stored_at(to.a.data(), to.a_scale.data())});
  draw_side(Tensor::w, {.type = problem.w.type,
                        .shape = operand_shape(problem.w, problem.batch, problem.n, problem.k),
                        .to = stored_at(to.w.data(), to.w_scale.data())});
  const Side unscaled{.type = problem.out, .scaling = Scaling::none};
  if (problem.epilogue.bias)
    draw_side(Tensor::bias, {.type = problem.out,
                             .shape = operand_shape(unscaled, 1, 1, problem.n),
                             .to = stored_at(to.bias.data(), nullptr)});
  if (problem.epilogue.residual)
    draw_side(Tensor::residual, {.type = problem.out,
                                 .shape = operand_shape(unscaled, 1, problem.batch * problem.m, problem.n),
                                 .to = stored_at(to.residual.data(), nullptr)});
  device_->stream().synchronize();
}

void GpuDraw::spoil_elements(const OperandDraw& draw, const Target& target, const Spoiling& spoiling) {
  if (spoiling.count == 0) return;
  kernels_->launch(target.type, "spoil_elements", shape_for(spoiling.count), draw, target.to, spoiling.first,
                   spoiling.count, spoiling.value);
}

void GpuDraw::draw_operand(const OperandDraw& draw, const Target& target) {
  if (target.shape.scale_rows * target.shape.scale_cols <= 1)  // to a batch
    draw_elements(draw, target);
  else
    draw_groups(draw, target);
}

void GpuDraw::draw_groups(const OperandDraw& draw, const Target& target) {
  const auto& shape = target.shape;
  const auto elements = std::min(shape.row_block, shape.rows) * std::min(shape.k_block, shape.k);
  const int team = elements <= elements_of_a_warp ? 32 : static_cast<int>(threads);
  const auto groups = shape.batch * shape.scale_rows * shape.scale_cols;
  const auto blocks = static_cast<unsigned>(ceil_div(groups * team, threads));
  kernels_->launch(target.type, "draw_groups", {.grid = {blocks}, .block = {threads}}, draw, shape, target.to, team);
}

void GpuDraw::draw_elements(const OperandDraw& draw, const Target& target) {
  const auto& shape = target.shape;
  const LaunchShape launch{.grid = {blocks_for(shape.rows * shape.k, threads), batches_of(shape)}, .block = {threads}};
  const auto largest = device_->allocate(static_cast<std::size_t>(shape.batch) * sizeof(unsigned));
  auto* amax = reinterpret_cast<unsigned*>(largest.data());
  if (shape.scales != ScaleKind::none) {
    device_->fill(largest.data(), largest.size(), 0);
    kernels_->launch(target.type, "find_largest", launch, draw, shape, amax);
  }
  kernels_->launch(target.type, "draw_elements", launch, draw, shape, target.to, amax);
}

}  // namespace gemmtune
