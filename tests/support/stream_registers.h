// For the spaces of families whose kernels stream W through shared memory.
#pragma once

#include <gtest/gtest.h>

#include "gemmtune/kernels/stream/stream_tile.h"

namespace gemmtune {

/// A block's registers fit a quarter of a multiprocessor, and where some are moved, those that copy give enough away.
inline void expect_registers_fit(const StreamTile& tile, const StreamNeeds& needs) {
  const auto [even, many] = stream_registers(tile, needs);
  const auto threads = stream_threads(tile, needs);
  const auto warps_of_quarter = (threads / 32 + 3) / 4;
  EXPECT_LE(warps_of_quarter * even * 32, 16'384);
  if (many == 0) return;
  EXPECT_EQ(threads, 128 * (tile.warpgroups() + 1));
  EXPECT_LE(tile.warpgroups() * many + 40, (tile.warpgroups() + 1) * even);
}

}  // namespace gemmtune
