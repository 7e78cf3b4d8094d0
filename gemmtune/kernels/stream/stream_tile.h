// How kernels that stream W through shared memory (stream/block.cuh) divide a product with few rows of A, and what such
// a division takes of a multiprocessor. Families say what their own parts of a kernel need.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct StreamTile {
  std::int64_t tokens{64};     // rows of A: a multiple of 8 up to 128, not less than M
  std::int64_t row_groups{1};  // warpgroups of a block side by side
  std::int64_t subtiles{1};    // groups of 64 rows of W of each warpgroup
  std::int64_t k_groups{1};    // warpgroups of a block that take turns along K
  std::int64_t k_blocks{1};    // blocks of a cluster that split K
  std::int64_t sharers{1};     // blocks of a cluster that share A's tile by multicast and have rows of W of their own
  std::int64_t w_stages{8};    // of W's ring; each holds 128 bytes of K of each row
  std::int64_t a_stages{4};    // of A's ring
  std::int64_t ahead{0};       // 1: asks for the first weights before the previous kernel has ended, into the L2 cache

  std::int64_t rows() const { return 64 * row_groups * subtiles; }  // of W, of a block
  std::int64_t warpgroups() const { return row_groups * k_groups; }
  std::int64_t parts() const { return k_groups * k_blocks; }  // of K
  std::int64_t cluster() const { return k_blocks * sharers; }
  auto operator<=>(const StreamTile&) const = default;
};

inline constexpr std::int64_t most_stream_tokens = 128;
inline constexpr std::int64_t most_stream_shared_bytes = 232'448;

/// What a family's kernel needs with a tile.
struct StreamNeeds {
  std::int64_t registers{};  // of a thread that multiplies; with fewer, the kernel would spill
  std::int64_t own_bytes{};  // of shared memory, beside rings, sums and their mbarriers
};

/// Registers of each thread, as the kernel is compiled. `many` is 0, or what threads that multiply have once those that
/// copy have given theirs away.
struct StreamRegisters {
  std::int64_t even{};
  std::int64_t many{};
};

/// Steps of 128 bytes along K.
std::int64_t stream_chunks(const Problem& problem);

/// Why there is no such kernel for this problem, or "". The types and K are the family's to check.
std::string why_no_stream(const Problem& problem, const StreamTile& tile, const StreamNeeds& needs);

std::int64_t stream_shared_bytes(const StreamTile& tile, const StreamNeeds& needs);
StreamRegisters stream_registers(const StreamTile& tile, const StreamNeeds& needs);

/// Threads of a block: its warpgroups, and the warps that copy.
std::int64_t stream_threads(const StreamTile& tile, const StreamNeeds& needs);

/// Blocks that a multiprocessor holds at once.
std::int64_t stream_blocks_at_once(const StreamTile& tile, const StreamNeeds& needs);

/// Clusters along N.
std::int64_t stream_row_clusters(const Problem& problem, const StreamTile& tile);

/// Blocks of the grid.
std::int64_t stream_blocks(const Problem& problem, const StreamTile& tile);

}  // namespace gemmtune
