#include "gemmtune/families/onednn/convert.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "gemmtune/families/onednn/convert_run.h"

namespace gemmtune::onednn {
namespace {

float e8m0_scale(std::byte bits) {
  const auto exponent = std::to_integer<std::uint32_t>(bits);
  if (exponent == 255) return std::numeric_limits<float>::quiet_NaN();
  return exponent == 0 ? 0x1p-127F : std::bit_cast<float>(exponent << 23U);
}

float scale_at(const ScaleGrid& grid, const std::byte* scales, std::int64_t index) {
  if (grid.type == DType::e8m0) return e8m0_scale(scales[index]);
  return reinterpret_cast<const float*>(scales)[index];
}

/// Converts stored rows. For MN-major operands these are rows of K.
class RowConverter {
 public:
  RowConverter(const Conversion& conversion, const std::byte* values, const std::byte* scales, std::byte* out)
      : conversion_(conversion),
        grid_(scale_grid(conversion.from.side.scaling, conversion.from.rows(), conversion.from.k())),
        values_(values),
        scales_(scales),
        out_(out) {}

  /// `row` counts over all batches.
  void convert(std::int64_t row) const {
    const StoredMatrix& from = conversion_.from.matrix;
    const std::int64_t batch = row / from.rows;
    const std::int64_t in_batch = row % from.rows;
    const std::byte* values =
        values_ + storage_bytes(from.type, batch * from.batch_stride + in_batch * from.leading_dimension);
    std::byte* out = out_ + row * storage_bytes(conversion_.to, from.cols);
    const std::int64_t step = scaled() ? elements_of_a_scale() : from.cols;
    for (std::int64_t col = 0; col < from.cols; col += step) {
      run_({.type = from.type,
            .from = values + storage_bytes(from.type, col),
            .count = std::min(step, from.cols - col),
            .scale = scale(batch, in_batch, col),
            .to = out + storage_bytes(conversion_.to, col)},
           conversion_.to);
    }
  }

 private:
  bool scaled() const { return grid_.count() > 0 && conversion_.scales == ScaleUse::multiply; }
  bool along_k() const { return conversion_.from.major == Major::k; }

  /// The number of neighbours in a stored row that share a scale.
  std::int64_t elements_of_a_scale() const { return along_k() ? grid_.k_block : grid_.row_block; }

  float scale(std::int64_t batch, std::int64_t row, std::int64_t col) const {
    if (!scaled()) return 1.0F;
    const std::int64_t grid_row = (along_k() ? row : col) / grid_.row_block;
    const std::int64_t grid_col = (along_k() ? col : row) / grid_.k_block;
    return scale_at(grid_, scales_, batch * grid_.count() + grid_row * grid_.cols + grid_col);
  }

  const Conversion& conversion_;
  ScaleGrid grid_;
  const std::byte* values_;
  const std::byte* scales_;
  std::byte* out_;
  ConvertRun run_{pick_convert_run()};
};

/// The tensor or row scales of one batch of one side. Null if there are none.
struct SideScales {
  const float* first{};
  std::int64_t step{};
};

SideScales side_scales(const Side& side, const std::byte* scales, std::int64_t first_row, std::int64_t batch) {
  const auto* values = reinterpret_cast<const float*>(scales);
  if (side.scaling == Scaling::row) return {values + first_row, 1};
  if (side.scaling == Scaling::tensor) return {values + batch, 0};
  return {};
}

constexpr float one = 1.0F;

}  // namespace

void convert_operand(const Conversion& conversion, const std::byte* values, const std::byte* scales, std::byte* out) {
  const RowConverter converter(conversion, values, scales, out);
  const std::int64_t rows = conversion.from.matrix.batch * conversion.from.matrix.rows;
#pragma omp parallel for num_threads(conversion.threads) schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) converter.convert(row);
}

void finish_product(const Finish& finish, const std::byte* product, const Operands& operands) {
  const Problem& p = finish.problem;
  const auto finish_row = pick_finish_columns();
  const bool scaled = finish.scales == ScaleUse::multiply;
  const StoredMatrix c = stored_c(p);
#pragma omp parallel for num_threads(finish.threads) schedule(static)
  for (std::int64_t row = 0; row < p.batch * p.m; ++row) {
    const std::int64_t batch = row / p.m;
    const std::int64_t at = storage_bytes(p.out, batch * c.batch_stride + row % p.m * c.leading_dimension);
    FinishRow work{.product = product + row * storage_bytes(finish.product, p.n),
                   .c = operands.c + at,
                   .bias = p.epilogue.bias ? operands.bias : nullptr,
                   .residual = p.epilogue.residual ? operands.residual + at : nullptr,
                   .activation = p.epilogue.activation,
                   .n = p.n};
    if (scaled) {
      const SideScales a = side_scales(p.a, operands.a_scale, row, batch);
      const SideScales w = side_scales(p.w, operands.w_scale, batch * p.n, batch);
      work.a_scale = a.first != nullptr ? *a.first : 1.0F;
      work.w_scale = w.first != nullptr ? w.first : &one;
      work.w_step = w.step;
    }
    finish_row(work, finish.product, p.out);
  }
}

}  // namespace gemmtune::onednn
