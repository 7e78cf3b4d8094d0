// How a kernel is launched, independent of the vendor: how many threads, and when.
#pragma once

#include <cstdint>

namespace gemmtune {

struct Extent {
  unsigned x{1};
  unsigned y{1};
  unsigned z{1};
};

/// When a kernel's blocks may begin.
enum class LaunchStart : std::uint8_t {
  after_previous,  // when all earlier work on the stream has ended
  early,  // when every block of the previous kernel has allowed it or has ended; the kernel itself waits before it
          // touches memory (kernels/pdl.cuh). GPUs that cannot do this use after_previous
};

/// Grid and block of a launch, in blocks and threads: {.grid = {blocks}, .block = {256}}.
struct LaunchShape {
  Extent grid{};
  Extent block{};
  unsigned shared_bytes{};  // dynamic shared memory of a block
  unsigned cluster{1};      // blocks along x that share a cluster
  LaunchStart start{};
};

}  // namespace gemmtune
