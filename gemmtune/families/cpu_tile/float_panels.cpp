#include "gemmtune/families/cpu_tile/float_panels.h"

#include <algorithm>
#include <cstring>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/parallel.h"

namespace gemmtune::cpu_tile {
namespace {

bool unscaled_floats(const Side& side) { return side.type == DType::f32 && side.scaling == Scaling::none; }

/// Bytes of one element in a packed panel.
std::int64_t stored_bytes(const Side& side, const FloatKernels& kernels) {
  return kernels.pairs ? 4 : storage_bytes(side.type, 1);
}

}  // namespace

WeightPanels::WeightPanels(const Problem& problem, const FloatKernels& kernels, const TilePlan& plan, Weights weights)
    : problem_(problem),
      plan_(plan),
      weights_(weights),
      pairs_(kernels.pairs),
      ready_(weights == Weights::panel && (kernels.pairs || unscaled_floats(problem.w))),
      element_bytes_(stored_bytes(problem.w, kernels)),
      pack_(kernels.pack(kernels.pairs ? Source::bf16_pair : source_of(problem.w.type))),
      widen_(kernels.widen(source_of(problem.w.type))) {}

std::int64_t WeightPanels::columns_of(std::int64_t panel) const {
  return std::min(plan_.columns, problem_.n - panel * plan_.columns);
}

std::int64_t WeightPanels::scale_offset() const {
  return round_up(problem_.batch * plan_.n_panels * panel_bytes(), 64);
}

std::size_t WeightPanels::packed_bytes() const {
  if (weights_ == Weights::direct) return 0;
  return static_cast<std::size_t>(scale_offset() + operand_sizes(problem_).w_scale);
}

Rows WeightPanels::rows(const Operands& operands, std::int64_t batch) const noexcept {
  const SideBytes bytes = weights_ == Weights::direct
                              ? SideBytes{operands.w, operands.w_scale}
                              : SideBytes{operands.packed_w, operands.packed_w + scale_offset()};
  const Rows rows = rows_of_w(problem_, bytes, batch);
  return pairs_ ? as_pairs(rows) : rows;
}

/// The transposed panel, with elements of W's own size: [depth][columns]. Missing columns are zeros.
void WeightPanels::pack_panel(const Rows& rows, std::int64_t panel, std::byte* to) const {
  const std::int64_t first = panel * plan_.columns;
  if (ready_) {
    pack_(rows, {.first_row = first,
                 .count = columns_of(panel),
                 .stride = plan_.columns,
                 .k_end = plan_.depth,
                 .out = reinterpret_cast<float*>(to)});
    return;
  }
  std::memset(to, 0, static_cast<std::size_t>(panel_bytes()));
  const auto size = static_cast<std::size_t>(element_bytes_);
  for (std::int64_t j = 0; j < columns_of(panel); ++j) {
    const std::byte* from = rows.values + (first + j) * rows.row_bytes;
    for (std::int64_t k = 0; k < rows.depth; ++k) {
      std::memcpy(to + (k * plan_.columns + j) * element_bytes_, from + k * element_bytes_, size);
    }
  }
}

void WeightPanels::pack(const Operands& operands, std::byte* packed) const {
  if (weights_ == Weights::direct) return;
  const std::int64_t panels = problem_.batch * plan_.n_panels;
  const int parts = static_cast<int>(std::min<std::int64_t>(panels, plan_.grid.count()));
  parallel_parts(parts, [&](int part) {
    const Range share = share_of(panels, part, parts);
    for (std::int64_t i = share.first; i < share.last; ++i) {
      const Rows whole = rows_of_w(problem_, {operands.w, operands.w_scale}, i / plan_.n_panels);
      pack_panel(pairs_ ? as_pairs(whole) : whole, i % plan_.n_panels, packed + i * panel_bytes());
    }
  });
  const auto scale_bytes = static_cast<std::size_t>(operand_sizes(problem_).w_scale);
  if (scale_bytes > 0) std::memcpy(packed + scale_offset(), operands.w_scale, scale_bytes);
}

const float* WeightPanels::in_place(const Operands& operands, const PanelPart& part) const noexcept {
  if (!ready_) return nullptr;
  const std::byte* panel = operands.packed_w + (part.batch * plan_.n_panels + part.panel) * panel_bytes();
  return reinterpret_cast<const float*>(panel) + part.k.first * plan_.columns;
}

void WeightPanels::decode(const Operands& operands, const PanelPart& part, float* out) const noexcept {
  const Rows from = rows(operands, part.batch);
  const std::int64_t first = part.panel * plan_.columns;
  if (weights_ == Weights::direct) {
    return pack_(from, {.first_row = first,
                        .count = columns_of(part.panel),
                        .stride = plan_.columns,
                        .k_begin = part.k.first,
                        .k_end = part.k.last,
                        .out = out});
  }
  widen_(from, {.panel = operands.packed_w + (part.batch * plan_.n_panels + part.panel) * panel_bytes(),
                .columns = plan_.columns,
                .first_row = first,
                .row_count = columns_of(part.panel),
                .k_begin = part.k.first,
                .k_end = part.k.last,
                .out = out});
}

APanels::APanels(const Problem& problem, const FloatKernels& kernels, const TilePlan& plan)
    : problem_(problem), plan_(plan), kernels_(&kernels), source_(source_of(problem.a.type)) {
  if (kernels.pairs) source_ = Source::bf16_pair;
}

void APanels::pack(const Operands& operands, std::int64_t index, float* out) const noexcept {
  const Rows whole = rows_of_a(problem_, {operands.a, operands.a_scale}, index / plan_.m_panels);
  const Rows rows = kernels_->pairs ? as_pairs(whole) : whole;
  const std::int64_t first = index % plan_.m_panels * plan_.height;
  const std::int64_t count = std::min(plan_.height, problem_.m - first);
  if (kernels_->depth_step > 1) return copy_rows(rows, {first, first + count}, out);
  kernels_->pack(source_)(rows,
                          {.first_row = first, .count = count, .stride = count, .k_end = plan_.depth, .out = out});
}

/// Writes [depth / step][rows][step]. Rows of zeros fill up the tile.
void APanels::copy_rows(const Rows& rows, const Range& range, float* out) const noexcept {
  const RowFunction copy = kernels_->row(source_);
  const std::int64_t step = kernels_->depth_step;
  const std::int64_t height = range.size() == plan_.height ? plan_.height : plan_.last_height;
  if (range.size() < height) std::fill_n(out, height * plan_.depth, 0.0F);
  for (std::int64_t i = 0; i < range.size(); ++i) {
    copy(rows, {.row = range.first + i, .padded_depth = plan_.depth, .step = height * step, .out = out + i * step});
  }
}

}  // namespace gemmtune::cpu_tile
