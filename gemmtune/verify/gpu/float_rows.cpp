#include "gemmtune/verify/gpu/float_rows.h"

#include <algorithm>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/verify/gpu/gpu_draw.h"

namespace gemmtune {
namespace {

constexpr std::int64_t panel_elements = std::int64_t{1} << 26;  // held as floats at once, of A and of the weights each
constexpr std::int64_t fewest_rows = 64;                        // a tile of multiply.cuh
constexpr std::int64_t most_rows = std::int64_t{1} << 20;       // tiles along a grid's y are few
constexpr std::int64_t depth_multiple = 16;
constexpr unsigned decode_threads = 256;

}  // namespace

FloatRows::FloatRows(Device& device, Side side, std::int64_t rows, std::int64_t k)
    : side_(side),
      shape_(operand_shape(side, 1, rows, k)),
      depth_(round_up(k, depth_multiple)),
      at_once_(std::min(rows, std::clamp(panel_elements / depth_, fewest_rows, most_rows))),
      floats_(device.allocate(static_cast<std::size_t>(at_once_ * depth_) * sizeof(float))) {}

void FloatRows::decode(ExaminerKernels& kernels, const Buffer& values, const Buffer& scales, std::int64_t batch,
                       const RowChoice& rows, double* norms) const {
  const auto grid = scale_grid(side_.scaling, shape_.rows, shape_.k);
  const auto from = stored_at(values.data() + batch * shape_.rows * storage_bytes(side_.type, shape_.k),
                              scales.data() + batch * storage_bytes(grid.type, grid.count()));
  const DecodedRows to{.values = as<float>(floats_), .norms = norms, .stride = depth_};
  kernels.launch(side_.type, "decode_rows", {.grid = {static_cast<unsigned>(rows.count)}, .block = {decode_threads}},
                 shape_, from, rows, to);
}

}  // namespace gemmtune
