#include "gemmtune/families/cpu_tile/mxfp4_fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace gemmtune::cpu_tile {
namespace {

struct Extent {
  std::uint8_t low{255};
  std::uint8_t high{0};

  bool folds() const { return high - low <= most_shift; }
};

Extent extent_of(const Mxfp4Row& row) {
  Extent extent;
  for (std::int64_t b = 0; b < row.blocks(); ++b) {
    extent.low = std::min(extent.low, row.scales[b]);
    extent.high = std::max(extent.high, row.scales[b]);
  }
  return extent;
}

bool is_zero_block(const Mxfp4Row& row, std::int64_t b) {
  const std::uint8_t* first = row.codes + b * scale_block / 2;
  const std::int64_t count = std::min(scale_block, row.k - b * scale_block) / 2;
  return std::all_of(first, first + count, [](std::uint8_t pair) { return (pair & 0x77) == 0; });
}

std::optional<Extent> extent_without_zero_blocks(const Mxfp4Row& row) {
  std::optional<Extent> extent;
  for (std::int64_t b = 0; b < row.blocks(); ++b) {
    if (is_zero_block(row, b)) continue;
    if (!extent) extent.emplace();
    extent->low = std::min(extent->low, row.scales[b]);
    extent->high = std::max(extent->high, row.scales[b]);
  }
  return extent;
}

}  // namespace

Fold fold_of(const Mxfp4Row& row) {
  const Extent all = extent_of(row);
  if (all.high == nan_scale) return {.kind = FoldKind::nan};
  if (all.folds()) return {.base = all.low};
  const auto nonzero = extent_without_zero_blocks(row);
  if (!nonzero) return {.base = 128};
  if (nonzero->folds()) return {.base = nonzero->low};
  return {.kind = FoldKind::blocks};
}

double unit_of(std::uint8_t scale) { return std::bit_cast<double>((std::uint64_t{scale} - 128 + 1023) << 52); }

float row_factor(const Fold& fold) {
  if (fold.kind == FoldKind::nan) return std::numeric_limits<float>::quiet_NaN();
  return fold.kind == FoldKind::folded ? static_cast<float>(unit_of(fold.base)) : 1.0F;
}

}  // namespace gemmtune::cpu_tile
