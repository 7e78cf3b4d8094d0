// Runs the parts of one launch on the threads of one launch. Not a scheduler: parts are as many as threads.
#pragma once

namespace gemmtune::cpu_tile {

/// body(0) … body(parts - 1), each once, on up to `parts` threads; returns when all are done. OpenMP's threads are kept
/// between calls, so that a launch costs no thread creation.
template <typename Body>
void parallel_parts(int parts, const Body& body) noexcept {
  if (parts == 1) return body(0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) body(part);
}

/// [first, last) of `count` things for one of `parts`, sizes differing by one at most.
struct Range {
  long first{};
  long last{};

  long size() const { return last - first; }
};

inline Range share_of(long count, int part, int parts) {
  return {.first = count * part / parts, .last = count * (part + 1) / parts};
}

}  // namespace gemmtune::cpu_tile
