// What families share that run wgmma_gemm.cu: how C is cut up, what the kernel is compiled with, and its launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The side of C along which neighbouring tiles are processed together.
enum class TileOrder : std::uint8_t { along_m, along_n };

/// How C is cut into tiles of clusters, in which order these are worked on, and which are divided along K.
struct WgmmaCut {
  std::int64_t block_m{};  // rows of C of a block
  std::int64_t block_n{};
  std::int64_t cluster_m{1};  // blocks that share W's tile by multicast
  std::int64_t cluster_n{1};  // blocks that share A's tile by multicast
  std::int64_t group{8};      // tiles that are worked on together, so that they share operands in the L2 cache
  TileOrder order{};
  std::int64_t split_k{1};  // parts along K of each tile that is divided
  std::int64_t whole{};     // the first tiles, which are not divided

  std::int64_t cluster() const { return cluster_m * cluster_n; }
};

/// Sizes of a tile, fields of WgmmaCut, from any struct that has them under the same names.
template <typename Tile>
WgmmaCut cut_into(const Tile& tile, std::int64_t whole) {
  return {.block_m = tile.block_m,
          .block_n = tile.block_n,
          .cluster_m = tile.cluster_m,
          .cluster_n = tile.cluster_n,
          .group = tile.group,
          .order = tile.order,
          .split_k = tile.split_k,
          .whole = whole};
}

/// Clusters' tiles of C, over all batches.
std::int64_t wgmma_tiles(const Problem& problem, const WgmmaCut& cut);

/// Whole tiles, and parts of those that are divided.
std::int64_t wgmma_units(const Problem& problem, const WgmmaCut& cut);

/// Clusters that a device holds at once, of blocks that fill a multiprocessor each.
std::int64_t clusters_at_once(const WgmmaCut& cut, std::int64_t multiprocessors);

/// Dynamic shared memory that a block may have, in bytes.
inline constexpr std::int64_t most_wgmma_shared_bytes = 232'448;

/// Pieces of C of each warp that may be on their way to memory, where a block needs `other_bytes` for everything else:
/// as many as a warpgroup's `rows` × `columns` have if C's elements have two bytes, if there is memory for them; at
/// least `least`, which may be more than there is memory for. With fewer, a warp waits for its own stores at the end of
/// a tile.
std::int64_t wgmma_staging(std::int64_t rows, std::int64_t columns, std::int64_t other_bytes, std::int64_t least);

/// What pieces take of the shared memory, of all warps.
std::int64_t wgmma_staging_bytes(std::int64_t staging);

using Macros = std::initializer_list<std::pair<std::string_view, std::int64_t>>;

/// What the kernel is compiled with: the macros that depend on the tile and on C's type and size, and `more` of the
/// family.
struct WgmmaMemory {
  std::int64_t stages{};   // of the ring; each holds 128 of K of both operands
  std::int64_t staging{};  // wgmma_staging()
};
std::vector<std::string> wgmma_options(const Problem& problem, const WgmmaCut& cut, const WgmmaMemory& memory,
                                       const Macros& more);

/// Addresses on the device; c is [batch][M][N]. Which scales there are is the family's choice.
struct WgmmaAddresses {
  const std::byte* a{};  // [batch][M][K]
  const float* a_scales{};
  const std::byte* w{};  // [batch][N][K]
  const float* w_scales{};
  const std::byte* bias{};
  std::byte* c{};
  std::byte* partial_sums{};  // partial_bytes() of them
};

/// A compiled kernel for one problem. If tiles are divided, only one launch may run at a time, because parts along K
/// are counted in memory of the module.
class WgmmaKernel {
 public:
  /// Throws Error{unsupported} with the compiler's log. `multiprocessors` is how many blocks run at once.
  WgmmaKernel(const KernelSource& source, const Problem& problem, const WgmmaCut& cut, std::int64_t shared_bytes,
              std::int64_t multiprocessors);

  std::size_t partial_bytes() const;

  void launch(const WgmmaAddresses& at, Stream& stream) const noexcept;

 private:
  void launch_or_throw(const WgmmaAddresses& at, Stream& stream) const;

  Problem problem_{};
  WgmmaCut cut_{};
  unsigned shared_bytes_{};
  unsigned blocks_{};
  // Blocks that start while others end are spread over the multiprocessors in any order. With several rounds of tiles
  // this costs more than it saves: the two blocks of a pair no longer read the same tiles at the same time.
  LaunchStart start_{};
  GpuModule module_;
  GpuFunction function_{};
};

}  // namespace gemmtune
