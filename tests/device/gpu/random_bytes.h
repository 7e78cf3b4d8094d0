// Random bytes to copy: a byte in the wrong place shows.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace gemmtune {

/// Equal counts give equal bytes.
inline std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace gemmtune
