// How many threads a kernel is launched with, in words of no vendor.
#pragma once

#include <array>

namespace gemmtune {

/// Grid and block of a launch, in blocks and threads.
struct LaunchShape {
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared_bytes{};  // dynamic shared memory of a block
  unsigned cluster{1};      // blocks along x that share a cluster
};

}  // namespace gemmtune
