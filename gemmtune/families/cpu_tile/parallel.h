// Runs the parts of one launch, one on each thread. Not a scheduler: there are as many parts as threads.
// Only for files of this family: it needs OpenMP switched on.
#pragma once

#include "gemmtune/families/cpu_tile/range.h"

namespace gemmtune::cpu_tile {

/// body(0) … body(parts - 1), each once, on up to `parts` threads; returns when all are done. OpenMP's threads are kept
/// between calls, so that a launch costs no thread creation.
template <typename Body>
void parallel_parts(int parts, const Body& body) noexcept {
  if (parts == 1) return body(0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) body(part);
}

}  // namespace gemmtune::cpu_tile
