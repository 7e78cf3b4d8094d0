// A range of indices, and how it is divided among threads.
#pragma once

#include <cstdint>

namespace gemmtune::cpu_tile {

/// The indices [first, last).
struct Range {
  std::int64_t first{};
  std::int64_t last{};

  std::int64_t size() const { return last - first; }
};

/// The part of `count` items that one of `parts` threads gets. The sizes of parts differ by at most one.
inline Range share_of(std::int64_t count, int part, int parts) {
  return {.first = count * part / parts, .last = count * (part + 1) / parts};
}

}  // namespace gemmtune::cpu_tile
