// The search space of families whose kernels stream W through shared memory (kernels/stream/stream_tile.h): how a
// product with few rows of A may be divided.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream/stream_tile.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

/// What a family's kernels are.
struct StreamKernels {
  std::string family{};  // starts the names
  std::function<std::string(const Problem&, const StreamTile&)> why_no{};
  std::function<StreamNeeds(const Problem&, const StreamTile&)> needs{};
};

/// In which order values are tried that depend on the problem. What is probably fastest comes first.
struct StreamOrder {
  std::vector<std::int64_t> row_groups{1, 2, 4};
  std::vector<std::int64_t> k_groups{1, 2, 4};
  std::vector<std::int64_t> k_blocks{2, 4, 1, 8};
  std::vector<std::int64_t> w_stages{4, 6, 8, 3, 12};
};

/// Names look like fp8_block_stream_n64_r1_u1_q1_c4_x1_s4_t4_a0: the members of StreamTile in their order. Constraints
/// leave out what has no kernel, and also points that are hardly better than others.
Space stream_space(const StreamKernels& kernels, const Problem& problem, std::int64_t multiprocessors,
                   const StreamOrder& order);

StreamTile stream_tile(const Point& point);

}  // namespace gemmtune
