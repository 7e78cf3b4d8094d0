#include "gemmtune/kernels/group_quantise.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec_name.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/group_quantise_arguments.h"

namespace gemmtune {

// CMake writes this function.
KernelSource group_quantise_kernel();

namespace {

constexpr std::int64_t block_threads = 256;

/// One warp suffices for short groups; several groups then share a block.
std::int64_t group_threads(Scaling scaling) {
  return scaling == Scaling::row || scaling == Scaling::block_128x128 ? block_threads : 32;
}

/// tf32 is f32 with less precision, and has no bits of its own to convert.
bool is_converted(DType type) { return type != DType::tf32; }

GroupQuantiseSizes sizes_of(const GroupQuantiseSpec& spec) {
  const auto grid = scale_grid(spec.to.scaling, spec.rows, spec.k);
  return {.rows = spec.rows,
          .k = spec.k,
          .leading_dimension = spec.leading_dimension == 0 ? spec.k : spec.leading_dimension,
          .row_block = grid.row_block,
          .k_block = grid.k_block,
          .groups = grid.count(),
          .groups_of_a_row = grid.cols};
}

}  // namespace

KernelSource group_quantise_source(const GroupQuantiseSpec& spec, const std::string& arch) {
  if (!is_converted(spec.from) || !is_converted(spec.to.type))
    fail(ErrorCode::unsupported, "{} is not quantised to {}", to_string(spec.from), to_string(spec.to.type));
  auto source = group_quantise_kernel();
  source.name = fmt::format("group_quantise_{}_{}_{}.cu", to_string(spec.from), to_string(spec.to.type),
                            to_string(spec.to.scaling));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    fmt::format("-DFROM={}", codec_name(spec.from)),
                    fmt::format("-DTO={}", codec_name(spec.to.type)),
                    fmt::format("-DIS_E2M1={:d}", spec.to.type == DType::e2m1),
                    fmt::format("-DIS_E8M0={:d}", spec.to.scaling == Scaling::mx_1x32),
                    fmt::format("-DGROUP_THREADS={}", group_threads(spec.to.scaling))};
  return source;
}

GroupQuantiser::GroupQuantiser(const GroupQuantiseSpec& spec, const std::string& arch)
    : module_(compile_kernel(group_quantise_source(spec, arch))), function_(module_.function("group_quantise")) {}

void GroupQuantiser::launch(const GroupQuantiseSpec& spec, const GroupQuantiseMemory& memory,
                            Stream& stream) const noexcept {
  const auto sizes = sizes_of(spec);
  const auto blocks = ceil_div(sizes.groups, block_threads / group_threads(spec.to.scaling));
  module_.launch(stream, function_,
                 {.grid = {static_cast<unsigned>(blocks)}, .block = {static_cast<unsigned>(block_threads)}},
                 memory.from, memory.values, memory.scales, sizes);
}

}  // namespace gemmtune
