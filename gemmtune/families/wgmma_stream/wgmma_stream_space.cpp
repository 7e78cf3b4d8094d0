#include "gemmtune/families/wgmma_stream/wgmma_stream_space.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;

const StreamKernels& kernels() {
  static const StreamKernels all{.family = "wgmma_stream", .why_no = why_no_wgmma_stream, .needs = wgmma_stream_needs};
  return all;
}

bool is_multiplied(DType type) { return type == DType::e4m3 || type == DType::bf16 || type == DType::f16; }

bool has_few_scales(const Side& side) {
  if (side.scaling == Scaling::none) return true;
  return side.type == DType::e4m3 && (side.scaling == Scaling::tensor || side.scaling == Scaling::row);
}

/// Groups of 64 rows of W, over all batches: as many as there are blocks if none of them takes more and K is not split.
std::int64_t groups_of_rows(const Problem& problem) { return problem.batch * ceil_div(problem.n, 64); }

/// Blocks that split K come first in the number that is closest to one block for each multiprocessor.
Values k_blocks_in_order(const Problem& problem, std::int64_t multiprocessors) {
  const auto wanted = std::max<std::int64_t>(multiprocessors / groups_of_rows(problem), 1);
  Values order{1, 2, 4, 8};
  std::ranges::stable_sort(order, {}, [&](std::int64_t count) { return std::abs(count - wanted); });
  return order;
}

/// What was fastest on an H200. Blocks that are alone on their multiprocessor ask for more of W ahead than several do.
Values w_stages_in_order(const Problem& problem, std::int64_t multiprocessors) {
  return groups_of_rows(problem) > multiprocessors ? Values{6, 4, 8, 12, 3} : Values{12, 8, 6, 4, 3};
}

/// With one block for each multiprocessor, one warpgroup cannot keep all of W's ring in use.
Values k_groups_in_order(const Problem& problem, std::int64_t multiprocessors) {
  const auto groups = groups_of_rows(problem);
  const bool one_each = groups <= multiprocessors && 2 * groups > multiprocessors;
  return one_each ? Values{2, 1, 4} : Values{1, 2, 4};
}

}  // namespace

std::string why_not_wgmma_stream(const Problem& problem, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (problem.a.type != problem.w.type || !is_multiplied(problem.w.type))
    return "multiplies e4m3 by e4m3, bf16 by bf16 and fp16 by fp16 only";
  if (!has_few_scales(problem.a) || !has_few_scales(problem.w))
    return "takes scales of rows or of whole tensors of e4m3 only";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  if (problem.m > most_stream_tokens) return "is for up to 128 rows of A";
  return why_no_wgmma_stream(problem, {.tokens = most_stream_tokens});
}

// What was fastest on an H200 most often comes first.
Space wgmma_stream_space(const Problem& problem, const DeviceInfo& device) {
  return stream_space(kernels(), problem, device.cu_num,
                      {.row_groups = problem.m > 64 ? Values{2, 1, 4} : Values{1, 2, 4},
                       .k_groups = k_groups_in_order(problem, device.cu_num),
                       .k_blocks = k_blocks_in_order(problem, device.cu_num),
                       .w_stages = w_stages_in_order(problem, device.cu_num)});
}

}  // namespace gemmtune
