// Runs the parts of one launch, one on each thread. It is not a scheduler: there are as many parts as threads. Only for
// files of this family, because it needs OpenMP.
#pragma once

#include "gemmtune/families/cpu_tile/range.h"

namespace gemmtune::cpu_tile {

/// Calls body(0) … body(parts - 1), each once, on up to `parts` threads, and returns when all have ended. OpenMP keeps
/// its threads between calls, so a launch does not pay for creating threads.
template <typename Body>
void parallel_parts(int parts, const Body& body) noexcept {
  if (parts == 1) return body(0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) body(part);
}

}  // namespace gemmtune::cpu_tile
