// What the kernels that stream MXFP4 weights have in common, as numbers: sizes, tiles, blocks.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream_arguments.h"

namespace gemmtune {

inline constexpr std::int64_t most_stream_shared_bytes = 232'448;

/// How a product is cut up between blocks of threads, and clusters of them.
struct StreamCut {
  std::int64_t rows_a{};      // of a tile
  std::int64_t row_groups{};  // of a tile, 64 rows of W each
  std::int64_t cluster{};     // blocks that work on a tile
};

/// Tiles of C, over all batches.
std::int64_t stream_tiles(const Problem& problem, const StreamCut& cut);

/// As many tiles for each cluster, so that none works alone at the end.
unsigned stream_blocks(const Problem& problem, const StreamCut& cut, std::int64_t multiprocessors);

/// Why sizes are not ones that such kernels take, or "".
std::string why_no_stream_sizes(const Problem& problem, const StreamCut& cut);

StreamSizes stream_sizes(const Problem& problem, std::int64_t rows_a);

/// "-DSTREAM_NAME=value".
std::string stream_option(std::string_view name, std::int64_t value);

}  // namespace gemmtune
