#include "gemmtune/families/fp8_block_stream/block_stream_space.h"

#include <cstdint>
#include <vector>

#include "gemmtune/families/block_scaled_fp8.h"

namespace gemmtune {
namespace {

const StreamKernels& kernels() {
  static const StreamKernels all{
      .family = "fp8_block_stream", .why_no = why_no_block_stream, .needs = [](const Problem&, const StreamTile& tile) {
        return block_stream_needs(tile);
      }};
  return all;
}

}  // namespace

std::string why_not_block_stream(const Problem& problem, const DeviceInfo& device) {
  if (auto why = why_not_block_scaled_fp8(problem, device); !why.empty()) return why;
  if (problem.m > most_stream_tokens) return "is for up to 128 rows of A";
  return why_no_block_stream(problem, {.tokens = most_stream_tokens});
}

// What was fastest on an H200 most often comes first.
Space block_stream_space(const Problem& problem, const DeviceInfo& device) {
  using Values = std::vector<std::int64_t>;
  const bool many_tokens = problem.m > 64;
  return stream_space(kernels(), problem, device.cu_num,
                      {.row_groups = many_tokens ? Values{2, 1, 4} : Values{1, 2, 4}});
}

}  // namespace gemmtune
