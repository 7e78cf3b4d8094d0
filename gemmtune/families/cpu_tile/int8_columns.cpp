#include "gemmtune/families/cpu_tile/int8_columns.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t chunk =
    256;  // elements of K: 4 KiB of a panel stay in the L1 cache while 16 columns are written to it

std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Hands out consecutive, aligned parts of one piece of memory.
template <typename Byte>
struct Carver {
  Byte* next{};

  template <typename T>
  auto take(std::int64_t count) {
    auto* part = reinterpret_cast<typename ColumnParts<Byte>::template Part<T>>(next);
    next += aligned(count * static_cast<std::int64_t>(sizeof(T)));
    return part;
  }
};

template <typename Byte>
ColumnParts<Byte> parts_at(const ColumnLayout& layout, Byte* start) {
  Carver<Byte> carver{start};
  ColumnParts<Byte> parts;
  parts.values = carver.template take<std::byte>(layout.panels() * layout.panel_bytes());
  parts.correction = carver.template take<std::int32_t>(layout.columns);
  parts.scale = carver.template take<float>(layout.columns);
  if (!layout.block_scales) return parts;
  parts.block_scales = carver.template take<std::uint8_t>(layout.panels() * layout.panel_scale_bytes());
  parts.base = carver.template take<std::uint8_t>(layout.columns);
  parts.shift_base = carver.template take<std::uint8_t>(layout.columns);
  parts.kind = carver.template take<FoldKind>(layout.columns);
  return parts;
}

}  // namespace

std::int64_t ColumnLayout::bytes() const {
  const std::int64_t plain = aligned(panels() * panel_bytes()) + aligned(columns * 4) * 2;
  return block_scales ? plain + aligned(panels() * panel_scale_bytes()) + aligned(columns) * 3 : plain;
}

PackedColumns ColumnLayout::at(const std::byte* start) const { return parts_at(*this, start); }

ColumnsToPack ColumnLayout::at(std::byte* start) const { return parts_at(*this, start); }

std::int32_t scatter_column(std::span<const std::int8_t> values, std::int64_t k, std::byte* panel_column) {
  std::int32_t sum = 0;
  for (const std::int8_t value : values) sum += value;
  std::byte* to = panel_column + k * panel_columns;
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4, to += 4 * panel_columns) std::memcpy(to, values.data() + i, 4);
  if (i < values.size()) std::memcpy(to, values.data() + i, values.size() - i);
  return sum;
}

void pack_int8_panel(const PanelSource& source, std::byte* values, std::int32_t* correction) {
  const std::int64_t steps = (source.k + k_step - 1) / k_step;
  if (source.rows < panel_columns || source.k % k_step != 0) {
    std::memset(values, 0, static_cast<std::size_t>(steps * panel_step_bytes));
  }
  std::array<std::int32_t, panel_columns> sums{};
  for (std::int64_t k = 0; k < source.k; k += chunk) {
    const auto count = static_cast<std::size_t>(std::min(chunk, source.k - k));
    for (std::int64_t c = 0; c < source.rows; ++c) {
      const auto* from = reinterpret_cast<const std::int8_t*>(source.w) + c * source.k + k;
      sums[static_cast<std::size_t>(c)] += scatter_column({from, count}, k, values + 4 * c);
    }
  }
  std::transform(sums.begin(), sums.end(), correction, [](std::int32_t sum) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) * 128U);  // wraps as the sums of a tile do
  });
}

}  // namespace gemmtune::cpu_tile
