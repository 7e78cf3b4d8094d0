// AMX: TDPBSSD on tiles of 16 rows × 64 bytes. Registers 0 to 3 hold sums, 4 and 5 hold rows of A, 6 and 7 hold
// columns.
#include <immintrin.h>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::amxint8 {
namespace {

constexpr int tile_bytes = 1024;
constexpr int line = 64;

/// The operand of LDTILECFG: palette 1, and all eight tiles are full (Intel SDM, "TILECFG").
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

constexpr TileConfig config;

/// Two row tiles × two column panels. Rows of sums are 32 sums apart.
void both_row_tiles(const TileJob& job) {
  const std::byte* a = job.a;
  const std::byte* w = job.w;
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    _tile_loadd(6, w, line);
    _tile_loadd(4, a, line);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, w + job.w_stride, line);
    _tile_dpbssd(1, 4, 7);
    _tile_loadd(5, a + tile_bytes, line);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
    a += 2 * tile_bytes;
    w += tile_bytes;
  }
}

void first_row_tile(const TileJob& job) {
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    _tile_loadd(4, job.a + step * 2 * tile_bytes, line);
    _tile_loadd(6, job.w + step * tile_bytes, line);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, job.w + job.w_stride + step * tile_bytes, line);
    _tile_dpbssd(1, 4, 7);
  }
}

void tile_32x32(const TileJob& job) {
  std::int32_t* acc = job.acc;
  constexpr int stride = 32 * 4;
  if (job.accumulate) {
    _tile_loadd(0, acc, stride);
    _tile_loadd(1, acc + 16, stride);
    _tile_loadd(2, acc + 16 * 32, stride);
    _tile_loadd(3, acc + 16 * 32 + 16, stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  job.rows > 16 ? both_row_tiles(job) : first_row_tile(job);
  _tile_stored(0, acc, stride);
  _tile_stored(1, acc + 16, stride);
  _tile_stored(2, acc + 16 * 32, stride);
  _tile_stored(3, acc + 16 * 32 + 16, stride);
}

/// One row tile × four column panels, for few rows: it reads more streams of weights at once.
void tile_16x64(const TileJob& job) {
  std::int32_t* acc = job.acc;
  constexpr int stride = 64 * 4;
  if (job.accumulate) {
    _tile_loadd(0, acc, stride);
    _tile_loadd(1, acc + 16, stride);
    _tile_loadd(2, acc + 32, stride);
    _tile_loadd(3, acc + 48, stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    const std::byte* w = job.w + step * tile_bytes;
    _tile_loadd(4, job.a + step * tile_bytes, line);
    _tile_loadd(5, w, line);
    _tile_dpbssd(0, 4, 5);
    _tile_loadd(6, w + job.w_stride, line);
    _tile_dpbssd(1, 4, 6);
    _tile_loadd(7, w + 2 * job.w_stride, line);
    _tile_dpbssd(2, 4, 7);
    _tile_loadd(5, w + 3 * job.w_stride, line);
    _tile_dpbssd(3, 4, 5);
  }
  _tile_stored(0, acc, stride);
  _tile_stored(1, acc + 16, stride);
  _tile_stored(2, acc + 32, stride);
  _tile_stored(3, acc + 48, stride);
}

constexpr TileKernel tiles[] = {{.m = 32, .n = 32, .run = tile_32x32}, {.m = 16, .n = 64, .run = tile_16x64}};

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

void enter() { _tile_loadconfig(&config); }

void leave() { _tile_release(); }

}  // namespace gemmtune::cpu_tile::amxint8
