// Products of weights of 4 bits on Hopper, for any number of rows of A: MXFP4 and NVFP4 by A in bf16, and MXFP4 by A in
// E4M3. Weights stay 4-bit in memory and become A's type on their way to the tensor cores, which is exact.
// docs/w4-on-hopper.md explains how.
//
// families/w4_space.h says which tile to choose.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/w4/w4_packer.h"

namespace gemmtune {

struct W4Tile {
  std::int64_t tokens{16};     // rows of A: a multiple of 8 up to 256
  std::int64_t row_groups{2};  // warpgroups of a block side by side
  std::int64_t subtiles{1};    // groups of 64 rows of W of each warpgroup
  std::int64_t k_groups{1};    // warpgroups of a block that take turns along K
  std::int64_t k_blocks{1};    // blocks of a cluster that split K
  std::int64_t sharers{1};     // blocks of a cluster that share A's tile by multicast and have rows of W of their own
  std::int64_t stages{4};      // of the ring; each holds 128 of K

  std::int64_t rows() const { return 64 * row_groups * subtiles; }  // of W, of a block
  std::int64_t warpgroups() const { return row_groups * k_groups; }
  std::int64_t parts() const { return k_groups * k_blocks; }  // of K
  std::int64_t cluster() const { return k_blocks * sharers; }
  auto operator<=>(const W4Tile&) const = default;
};

inline constexpr std::int64_t most_w4_tokens = 256;
inline constexpr std::int64_t most_w4_shared_bytes = 232'448;

/// Why there is no such kernel, or "".
std::string why_no_w4(const Problem& problem, const W4Tile& tile);

std::int64_t w4_shared_bytes(const Problem& problem, const W4Tile& tile);

/// Registers of each thread, as the kernel is compiled. `many` is 0, or what threads that multiply have once those that
/// copy have given theirs away.
struct W4Registers {
  std::int64_t even{};
  std::int64_t many{};
};
W4Registers w4_registers(const Problem& problem, const W4Tile& tile);

/// Threads of a block: its warpgroups, and the warps that copy.
std::int64_t w4_threads(const Problem& problem, const W4Tile& tile);

/// Blocks that a multiprocessor holds at once.
std::int64_t w4_blocks_at_once(const Problem& problem, const W4Tile& tile);

/// Tiles of clusters, over all batches.
std::int64_t w4_tiles(const Problem& problem, const W4Tile& tile);

/// Blocks of the grid. If K is not split, blocks work on one tile after the other, and get equally many of them as far
/// as possible.
std::int64_t w4_blocks(const Problem& problem, const W4Tile& tile, std::int64_t multiprocessors);

/// The source of the kernel that multiplies. Of the sizes, it depends only on whether N is even, or a multiple of 8.
KernelSource w4_source(const Problem& problem, const W4Tile& tile);

/// All sources that a W4Gemm compiles.
std::vector<KernelSource> w4_sources(const Problem& problem, const W4Tile& tile);

/// With A in bf16, weights are exact bf16 numbers, relative to a power of two for each row (w4_bits.h), and the tensor
/// core sums products in float. With A in E4M3, weights are exact E4M3 numbers, relative to a power of two for each 128
/// of K of a row (w4_fp8_bits.h). Their products are summed by the tensor core over 128 of K, and then in float. A NaN
/// or an infinity in A affects its row of C, as in any product, and a NaN scale of W makes its column of C NaN.
class W4Gemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_w4(), or with the compiler's log.
  W4Gemm(const Problem& problem, const W4Tile& tile, std::int64_t multiprocessors);

  const W4Packer& packer() const { return packer_; }

  /// Computes c from a, a_scale, packed_w and bias. The kernel may start early (kernels/pdl.cuh): packed_w must be
  /// complete before the kernel that precedes it on the stream.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  void launch_or_throw(const Operands& operands, Stream& stream) const;

  Problem problem_{};
  W4Tile tile_{};
  unsigned blocks_{};
  LaunchStart start_{};
  W4Packer packer_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
