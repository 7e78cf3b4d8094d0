// FP8 with a scale for each 1×128 of A and each 128×128 of W, for up to 128 rows of A, on Hopper. W is read once and
// streams through shared memory. docs/fp8-on-hopper.md explains how.
//
// block_stream_space.h says which tile to choose.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/fp8_block_stream/block_stream_packer.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct BlockStreamTile {
  std::int64_t tokens{64};     // rows of A: a multiple of 8 up to 128, not less than M
  std::int64_t row_groups{1};  // warpgroups of a block side by side
  std::int64_t subtiles{1};    // groups of 64 rows of W of each warpgroup
  std::int64_t k_groups{1};    // warpgroups of a block that take turns along K
  std::int64_t k_blocks{1};    // blocks of a cluster that split K
  std::int64_t sharers{1};     // blocks of a cluster that share A's tile by multicast and have rows of W of their own
  std::int64_t w_stages{8};    // of W's ring; each holds 128 of K
  std::int64_t a_stages{4};    // of A's ring
  std::int64_t ahead{0};       // 1: asks for the first weights before the previous kernel has ended, into the L2 cache

  std::int64_t rows() const { return 64 * row_groups * subtiles; }  // of W, of a block
  std::int64_t warpgroups() const { return row_groups * k_groups; }
  std::int64_t parts() const { return k_groups * k_blocks; }  // of K
  std::int64_t cluster() const { return k_blocks * sharers; }
  auto operator<=>(const BlockStreamTile&) const = default;
};

inline constexpr std::int64_t most_block_stream_tokens = 128;
inline constexpr std::int64_t most_block_stream_shared_bytes = 232'448;

/// Why there is no such kernel, or "".
std::string why_no_block_stream(const Problem& problem, const BlockStreamTile& tile);

std::int64_t block_stream_shared_bytes(const BlockStreamTile& tile);

/// Registers of each thread, as the kernel is compiled. `many` is 0, or what threads that multiply have once those that
/// copy have given theirs away.
struct BlockStreamRegisters {
  std::int64_t even{};
  std::int64_t many{};
};
BlockStreamRegisters block_stream_registers(const BlockStreamTile& tile);

/// Threads of a block: its warpgroups, and the warps that copy.
std::int64_t block_stream_threads(const BlockStreamTile& tile);

/// Blocks that a multiprocessor holds at once.
std::int64_t block_stream_blocks_at_once(const BlockStreamTile& tile);

/// Blocks of the grid.
std::int64_t block_stream_blocks(const Problem& problem, const BlockStreamTile& tile);

/// The source of the kernel that multiplies. It is the same for all sizes.
KernelSource block_stream_source(const Problem& problem, const BlockStreamTile& tile);

/// All sources that a BlockStreamGemm compiles.
std::vector<KernelSource> block_stream_sources(const Problem& problem, const BlockStreamTile& tile);

/// The tensor core's sums of 128 of K are multiplied by both scales and added in float. W's scales of folded MXFP8 come
/// last instead: sums times A's scales alone must be in the range of floats.
class BlockStreamGemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_block_stream(), or with the compiler's
  /// log.
  BlockStreamGemm(const Problem& problem, const BlockStreamTile& tile);

  /// Only for problems with packed weights that are not MXFP8.
  const std::optional<BlockStreamPacker>& packer() const { return packer_; }

  /// Computes c from a, a_scale, w or packed_w, w_scale and bias. Of MXFP8, a and packed_w are folded
  /// (families/folded_mxfp8.h), and w_scale is f32, one for each row of W. The kernel starts early (kernels/pdl.cuh).
  /// What it reads before the kernel that precedes it on the stream has ended are packed weights only.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  void launch_or_throw(const Operands& operands, Stream& stream) const;

  Problem problem_{};
  BlockStreamTile tile_{};
  std::optional<BlockStreamPacker> packer_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
