#include "gemmtune/kernels/stream_weights.h"

#include <algorithm>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/read_back.h"
#include "gemmtune/kernels/stream_problem.h"

namespace gemmtune {

// Written by CMake.
KernelSource stream_pack_kernel();

namespace {

constexpr unsigned pack_threads = 256;

/// Of each 64 rows.
struct Found {
  std::uint32_t wide_rows{};
  std::uint32_t binades{};
};

std::int64_t w_tiles(const Problem& p) { return p.batch * ((p.n + 63) / 64); }

std::size_t bricks_bytes(const Problem& p) {
  return static_cast<std::size_t>(w_tiles(p) * ((p.k + stream_unit_k - 1) / stream_unit_k) * stream_unit_bytes);
}
std::size_t bases_bytes(const Problem& p) { return static_cast<std::size_t>(w_tiles(p)) * 64 * sizeof(float); }

}  // namespace

KernelSource stream_pack_source(StreamScales scales) {
  auto source = stream_pack_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space",
                    stream_option("ROW_BASE", scales == StreamScales::row)};
  return source;
}

StreamPacker::StreamPacker(const Problem& problem, StreamScales scales)
    : problem_(problem),
      scales_(scales),
      module_(compile_kernel(stream_pack_source(scales))),
      pack_(module_.function("pack_stream")) {}

std::size_t StreamPacker::bases() const { return bricks_bytes(problem_); }

std::size_t StreamPacker::bytes() const {
  return bases() + bases_bytes(problem_) + static_cast<std::size_t>(w_tiles(problem_)) * sizeof(Found);
}

void StreamPacker::pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const {
  const auto sizes = stream_sizes(problem_, 1);
  std::byte* const found_at = packed + bases() + bases_bytes(problem_);
  module_.launch(
      stream, pack_,
      {.grid = {static_cast<unsigned>(sizes.w_tiles), static_cast<unsigned>(sizes.batch)}, .block = {pack_threads}}, w,
      w_scale, packed, packed + bases(), found_at, sizes);
  std::int64_t wide_rows = 0;
  std::uint32_t binades = 0;
  for (const auto& found : read_back<Found>(found_at, w_tiles(problem_), stream)) {
    wide_rows += found.wide_rows;
    binades = std::max(binades, found.binades);
  }
  if (wide_rows == 0) return;
  fail(ErrorCode::unsupported, "{} of {} rows of the weights spread over up to {} binades, and this kernel takes {}",
       wide_rows, problem_.batch * problem_.n, binades,
       scales_ == StreamScales::row ? stream_row_binades : stream_block_binades);
}

}  // namespace gemmtune
