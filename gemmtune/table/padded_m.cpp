#include "gemmtune/table/padded_m.h"

#include <bit>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

std::int64_t step_of(std::int64_t m) {
  if (m <= 256) return 16;
  if (m <= 1024) return 32;
  return m <= 4096 ? 64 : 128;
}

}  // namespace

std::int64_t padded_fine(std::int64_t m) {
  const auto step = step_of(m);
  return round_up(m, step);
}

std::int64_t padded_coarse(std::int64_t m, std::int64_t n) {
  if (m > 8192 && n > 4096) return 8192;
  return m <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m)));
}

}  // namespace gemmtune
