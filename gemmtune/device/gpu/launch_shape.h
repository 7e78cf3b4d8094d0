// How many threads a kernel is launched with, in words of no vendor.
#pragma once

namespace gemmtune {

struct Extent {
  unsigned x{1};
  unsigned y{1};
  unsigned z{1};
};

/// Grid and block of a launch, in blocks and threads: {.grid = {blocks}, .block = {256}}.
struct LaunchShape {
  Extent grid{};
  Extent block{};
  unsigned shared_bytes{};  // dynamic shared memory of a block
  unsigned cluster{1};      // blocks along x that share a cluster
};

}  // namespace gemmtune
