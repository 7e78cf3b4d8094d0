#include "gemmtune/families/fp8_block_stream/block_stream_packer.h"

#include <cstdint>

#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {

// CMake writes this function.
KernelSource block_stream_pack_kernel();

namespace {

constexpr unsigned pack_threads = 512;  // 16 bytes of a brick each

std::int64_t brick_rows(const Problem& p) { return ceil_div(p.n, block_brick_rows); }
std::int64_t chunks(const Problem& p) { return p.k / 128; }

}  // namespace

KernelSource block_stream_pack_source() {
  auto source = block_stream_pack_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space"};
  return source;
}

BlockStreamPacker::BlockStreamPacker(const Problem& problem)
    : problem_(problem),
      module_(compile_kernel(block_stream_pack_source())),
      pack_(module_.function("pack_block_stream")) {}

std::size_t BlockStreamPacker::bytes() const {
  return static_cast<std::size_t>(problem_.batch * brick_rows(problem_) * chunks(problem_) * block_brick_bytes);
}

void BlockStreamPacker::pack(const std::byte* w, std::byte* packed, Stream& stream) const {
  module_.launch(stream, pack_,
                 {.grid = {static_cast<unsigned>(chunks(problem_)), static_cast<unsigned>(brick_rows(problem_)),
                           static_cast<unsigned>(problem_.batch)},
                  .block = {pack_threads}},
                 w, packed, static_cast<std::int32_t>(problem_.n), static_cast<std::int32_t>(chunks(problem_)));
}

}  // namespace gemmtune
