// One algorithm of cuBLASLt with all its settings, and the part of a kernel's name that states them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune::cublaslt {

/// The library's numbers. 0 is its "undefined" or "automatic", where there is one.
struct AlgoConfig {
  int id{};
  unsigned tile{};
  unsigned stages{};
  int split_k{1};        // -1: the library chooses
  unsigned reduction{};  // how splits are reduced: 0 none, 1 in place, 2 in the compute type, 4 in the output's type
  unsigned swizzle{};
  unsigned custom{};  // its meaning depends on the algorithm
  unsigned inner{};
  unsigned cluster{};

  auto operator<=>(const AlgoConfig&) const = default;
};

struct AlgoConfigHash {
  std::size_t operator()(const AlgoConfig& config) const noexcept;
};

/// One setting as text: {"t", "128x256"}.
struct Setting {
  std::string tag{};
  std::string value{};
};

/// The settings in the order in which names have them: a, t, s, k, r, z, o, i, c. Tiles, stages and clusters are in the
/// header's words if it has them ("128x256", "64xauto", "2x1"), and otherwise numbers.
std::vector<Setting> settings_of(const AlgoConfig& config);

/// The inverse of settings_of(). Empty for settings that settings_of() never writes.
std::optional<AlgoConfig> config_of(std::span<const Setting> settings);

/// Rows and columns of a tile if the header has words for it; otherwise zeros.
struct TileSize {
  std::int64_t rows{};
  std::int64_t columns{};
};
TileSize tile_size(unsigned tile);

}  // namespace gemmtune::cublaslt
