// For every CPU: plain loops that any compiler can vectorise.
#include <algorithm>
#include <array>
#include <cstring>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::portable {
namespace {

constexpr std::int64_t height = 4;
constexpr std::array<std::int8_t, 16> doubled_e2m1{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

const std::int8_t* as_int8(const std::byte* bytes) { return reinterpret_cast<const std::int8_t*>(bytes); }

/// Adds four values of a row · four of each column to the 16 sums in `acc`.
void add_group(const std::int8_t* a, const std::int8_t* w, std::int32_t* acc) {
  for (std::int64_t c = 0; c < panel_columns; ++c) {
    std::int32_t sum = 0;
    for (std::int64_t j = 0; j < 4; ++j) sum += a[j] * w[4 * c + j];
    acc[c] += sum;
  }
}

void add_step(const std::int8_t* a, const std::int8_t* w, std::int32_t* acc, std::int64_t k) {
  for (std::int64_t g = 0; g < k / 4; ++g) add_group(a + 4 * g, w + 4 * panel_columns * g, acc);
}

void tile_4x16(const TileJob& job) {
  if (!job.accumulate) std::fill_n(job.acc, job.rows * panel_columns, 0);
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    for (std::int64_t r = 0; r < job.rows; ++r) {
      const std::int8_t* a = as_int8(job.a) + (step * height + r) * k_step;
      add_step(a, as_int8(job.w) + step * panel_step_bytes, job.acc + r * panel_columns, k_step);
    }
  }
}

constexpr std::array tiles{TileKernel{.m = height, .n = panel_columns, .run = tile_4x16}};

std::int8_t value_of(int code, int shift) {
  return static_cast<std::int8_t>(doubled_e2m1[static_cast<std::size_t>(code)] * (1 << shift));
}

int shift_of(std::uint8_t scale, std::uint8_t base) { return scale > base ? std::min(scale - base, 3) : 0; }

void store_value(std::int8_t value, RowForm form, std::byte* out) {
  if (form == RowForm::s16) {
    const std::int16_t wide = value;
    std::memcpy(out, &wide, sizeof wide);
    return;
  }
  *out = static_cast<std::byte>(form == RowForm::u8_plus_128 ? value + 128 : value);
}

std::int32_t load_value(const std::byte* a, RowForm form, std::int64_t i) {
  if (form == RowForm::s16) {
    std::int16_t wide{};
    std::memcpy(&wide, a + 2 * i, sizeof wide);
    return wide;
  }
  return form == RowForm::u8_plus_128 ? std::to_integer<int>(a[i]) - 128 : as_int8(a)[i];
}

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

void expand_row(const ExpandRowJob& job) {
  const std::int64_t size = element_bytes(job.form);
  for (std::int64_t i = 0; i < (job.k + k_step - 1) / k_step * k_step; ++i) {
    const int code = i < job.k ? (job.codes[i / 2] >> (i % 2 * 4)) & 15 : 0;
    const int shift = i < job.k ? shift_of(job.scales[i / scale_block], job.shift_base) : 0;
    store_value(value_of(code, shift), job.form, job.out + i / k_step * job.out_stride + i % k_step * size);
  }
}

void expand_panel(const ExpandPanelJob& job) {
  for (std::int64_t i = 0; i < job.k_steps * panel_step_bytes / 2; ++i) {
    const std::int64_t group = i / 64,
                       column = i % 64 / 4;  // a group has 8 elements of K: 4 in the low nibbles and 4 in the high ones
    const std::uint8_t scale = job.scales[group / 4 * panel_columns + column];
    const int shift = shift_of(scale, job.shift_base[column]);
    std::byte* out = job.out + group * 128 + i % 64;
    out[0] = static_cast<std::byte>(value_of(job.nibbles[i] & 15, shift));
    out[64] = static_cast<std::byte>(value_of(job.nibbles[i] >> 4, shift));
  }
}

void block_dot(const BlockDotJob& job) {
  std::array<std::int8_t, scale_block> a{};
  for (std::int64_t i = 0; i < scale_block; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(load_value(job.a, job.form, i));
  }
  std::fill_n(job.dots, panel_columns, 0);
  add_step(a.data(), as_int8(job.w), job.dots, scale_block);
}

}  // namespace gemmtune::cpu_tile::portable
