#include "gemmtune/kernels/stream/packer.h"

#include <fmt/format.h>

#include <cstdint>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/stream/arguments.h"
#include "gemmtune/kernels/stream/stream_tile.h"

namespace gemmtune {

// CMake writes this function.
KernelSource stream_pack_kernel();

namespace {

constexpr unsigned pack_threads = 512;  // 16 bytes of a brick each

std::int64_t brick_rows(const Problem& p) { return ceil_div(p.n, stream_brick_rows); }

}  // namespace

KernelSource stream_pack_source() {
  auto source = stream_pack_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space"};
  return source;
}

StreamPacker::StreamPacker(const Problem& problem)
    : problem_(problem), module_(compile_kernel(stream_pack_source())), pack_(module_.function("pack_stream")) {}

std::size_t StreamPacker::bytes() const {
  return static_cast<std::size_t>(problem_.batch * brick_rows(problem_) * stream_chunks(problem_) * stream_brick_bytes);
}

std::string StreamPacker::layout_name() const {
  return fmt::format("{} bricks of {}x{}", to_string(problem_.w.type), stream_brick_rows,
                     stream_chunk_bytes / storage_bytes(problem_.w.type, 1));
}

void StreamPacker::pack(const std::byte* w, std::byte* packed, Stream& stream) const {
  module_.launch(stream, pack_,
                 {.grid = {static_cast<unsigned>(stream_chunks(problem_)), static_cast<unsigned>(brick_rows(problem_)),
                           static_cast<unsigned>(problem_.batch)},
                  .block = {pack_threads}},
                 w, packed, static_cast<std::int32_t>(problem_.n),
                 static_cast<long long>(storage_bytes(problem_.w.type, problem_.k)));
}

}  // namespace gemmtune
