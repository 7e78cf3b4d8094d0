// How many clusters of blocks a device holds at once, and how busy a grid of them keeps it: for the spaces of families
// whose blocks split K within clusters.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune {

struct ClusterGrid {
  std::int64_t clusters{};
  std::int64_t cluster{1};         // blocks of each
  std::int64_t blocks_at_once{1};  // of a multiprocessor
};

/// How many clusters are on the device at once. The blocks of one are in one group of multiprocessors, and some
/// multiprocessors of each group are left over: 132 of them hold 30 clusters of four.
inline std::int64_t clusters_at_once(const ClusterGrid& grid, std::int64_t multiprocessors) {
  const auto blocks = std::max<std::int64_t>(multiprocessors * grid.blocks_at_once, 1);
  return grid.cluster < 3 ? blocks / grid.cluster : blocks * 11 / 12 / grid.cluster;
}

/// Clusters that have to wait for others cost as much as all of those.
inline bool is_one_wave(const ClusterGrid& grid, std::int64_t multiprocessors) {
  return grid.clusters <= clusters_at_once(grid, multiprocessors);
}

/// The share of the device that is busy, averaged over the waves of clusters.
inline double share_of_device(const ClusterGrid& grid, std::int64_t multiprocessors) {
  const auto at_once = clusters_at_once(grid, multiprocessors);
  if (grid.clusters <= at_once)
    return std::min(1.0, static_cast<double>(grid.clusters * grid.cluster) / static_cast<double>(multiprocessors));
  return static_cast<double>(grid.clusters) / static_cast<double>(ceil_div(grid.clusters, at_once) * at_once);
}

}  // namespace gemmtune
