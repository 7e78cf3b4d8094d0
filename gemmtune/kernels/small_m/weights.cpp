#include "gemmtune/kernels/small_m/weights.h"

#include <algorithm>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/read_back.h"
#include "gemmtune/kernels/small_m/problem.h"

namespace gemmtune {

// CMake writes this function.
KernelSource small_m_pack_kernel();

namespace {

constexpr unsigned pack_threads = 256;

/// What packing found in 64 rows.
struct Found {
  std::uint32_t wide_rows{};
  std::uint32_t binades{};
};

std::int64_t w_tiles(const Problem& p) { return p.batch * ((p.n + 63) / 64); }

std::size_t bricks_bytes(const Problem& p) {
  return static_cast<std::size_t>(w_tiles(p) * ceil_div(p.k, small_m_unit_k) * small_m_unit_bytes);
}
std::size_t bases_bytes(const Problem& p) { return static_cast<std::size_t>(w_tiles(p)) * 64 * sizeof(float); }

}  // namespace

KernelSource small_m_pack_source(PackedScales scales) {
  auto source = small_m_pack_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space",
                    small_m_option("ROW_BASE", scales == PackedScales::row)};
  return source;
}

SmallMPacker::SmallMPacker(const Problem& problem, PackedScales scales)
    : problem_(problem),
      scales_(scales),
      module_(compile_kernel(small_m_pack_source(scales))),
      pack_(module_.function("pack_small_m")) {}

std::size_t SmallMPacker::bases() const { return bricks_bytes(problem_); }

std::size_t SmallMPacker::bytes() const {
  return bases() + bases_bytes(problem_) + static_cast<std::size_t>(w_tiles(problem_)) * sizeof(Found);
}

void SmallMPacker::pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const {
  const auto sizes = small_m_sizes(problem_, 1);
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
       scales_ == PackedScales::row ? small_m_row_binades : small_m_block_binades);
}

}  // namespace gemmtune
