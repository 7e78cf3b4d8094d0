// Stands in for instructions that few CPUs have, so that kernels which use them are tested on others: AMX tiles in
// plain code, and the AVX-VNNI dot product by that of AVX-512. The build includes it before everything else when it
// compiles a kernel's source for block_emulated_test.cpp.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbssd
#undef _tile_dpbf16ps
#undef _tile_loadconfig
#undef _tile_release
#undef _mm256_dpbusd_avx_epi32

#define _tile_zero(tile) emulated::tiles.zero(tile)
#define _tile_loadd(tile, from, stride) emulated::tiles.load(tile, from, stride)
#define _tile_stored(tile, to, stride) emulated::tiles.store(tile, to, stride)
#define _tile_dpbssd(sums, a, b) emulated::tiles.multiply_bytes(sums, a, b)
#define _tile_dpbf16ps(sums, a, b) emulated::tiles.multiply_pairs(sums, a, b)
#define _tile_loadconfig(config) emulated::tiles.configure(config)
#define _tile_release() emulated::tiles.release()
#define _mm256_dpbusd_avx_epi32(sums, a, b) _mm256_dpbusd_epi32(sums, a, b)

namespace {
namespace emulated {

/// Eight tiles of up to 16 rows × 64 bytes (Intel SDM, "Intel AMX instruction set reference").
class Tiles {
 public:
  void configure(const void* config) {
    const auto* bytes = static_cast<const std::uint8_t*>(config);
    for (int i = 0; i < 8; ++i) {
      std::memcpy(&row_bytes_[i], bytes + 16 + 2 * i, 2);
      rows_[i] = bytes[48 + i];
      zero(i);
    }
  }

  void release() { *this = {}; }
  void zero(int tile) { std::memset(data_[tile], 0, sizeof data_[tile]); }

  void load(int tile, const void* from, std::ptrdiff_t stride) {
    zero(tile);
    for (int r = 0; r < rows_[tile]; ++r) {
      std::memcpy(data_[tile][r], static_cast<const std::uint8_t*>(from) + r * stride, row_bytes_[tile]);
    }
  }

  void store(int tile, void* to, std::ptrdiff_t stride) const {
    for (int r = 0; r < rows_[tile]; ++r) {
      std::memcpy(static_cast<std::uint8_t*>(to) + r * stride, data_[tile][r], row_bytes_[tile]);
    }
  }

  void multiply_bytes(int sums, int a, int b) {
    multiply<std::int32_t>(sums, a, b, [](const std::uint8_t* x, const std::uint8_t* y) {
      std::int32_t sum = 0;
      for (int j = 0; j < 4; ++j) sum += static_cast<std::int8_t>(x[j]) * static_cast<std::int8_t>(y[j]);
      return sum;
    });
  }

  void multiply_pairs(int sums, int a, int b) {
    multiply<float>(sums, a, b, [](const std::uint8_t* x, const std::uint8_t* y) {
      return bf16_at(x) * bf16_at(y) + bf16_at(x + 2) * bf16_at(y + 2);
    });
  }

 private:
  static float bf16_at(const std::uint8_t* from) {
    const std::uint32_t bits = static_cast<std::uint32_t>(from[0] << 16) | static_cast<std::uint32_t>(from[1]) << 24;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }

  template <typename Sum, typename Dot>
  void multiply(int sums, int a, int b, const Dot& dot) {
    for (int m = 0; m < rows_[sums]; ++m)
      for (int k = 0; k < row_bytes_[a] / 4; ++k)
        for (int n = 0; n < row_bytes_[sums] / 4; ++n) {
          Sum sum;
          std::memcpy(&sum, &data_[sums][m][4 * n], 4);
          sum += dot(&data_[a][m][4 * k], &data_[b][k][4 * n]);
          std::memcpy(&data_[sums][m][4 * n], &sum, 4);
        }
  }

  std::uint8_t data_[8][16][64] = {};
  std::uint16_t row_bytes_[8] = {};
  std::uint8_t rows_[8] = {};
};

thread_local Tiles tiles;

}  // namespace emulated
}  // namespace
