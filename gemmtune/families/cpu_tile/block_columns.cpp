#include "gemmtune/families/cpu_tile/block_columns.h"

#include <algorithm>
#include <cstring>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cpu_tile/nibbles.h"

namespace gemmtune::cpu_tile {
namespace {

/// How far E8M0 scales may be from 1 if exponents are to be added. Rows' scales may be as far.
constexpr int most_exponent = 60;
constexpr int e8m0_one = 127;

bool adds_exponents(const BlockLayout& layout, const std::uint8_t* scales) {
  if (layout.weights != BlockWeights::mxfp4) return false;
  const auto [least, most] = std::minmax_element(scales, scales + layout.n * layout.blocks());
  return *least >= e8m0_one - most_exponent && *most <= e8m0_one + most_exponent;
}

/// Writes the values of one column. `out` is where the column's first four bytes are.
class ColumnWriter {
 public:
  ColumnWriter(const BlockLayout& layout, std::byte* out) : layout_(layout), out_(out) {}

  void write_nibbles(const std::uint8_t* pairs) const {
    const std::int64_t bytes = (layout_.k + 1) / 2;
    for (std::int64_t at = 0; at < bytes; at += 4) {
      std::uint8_t four[4] = {};
      std::copy_n(pairs + at, std::min<std::int64_t>(4, bytes - at), four);
      const std::uint32_t word = panel_nibbles(four);
      std::memcpy(place(2 * at / block_length) + 2 * at % block_length / 8 * 64, &word, 4);
    }
  }

  void write_bytes(const std::uint8_t* values) const {
    for (std::int64_t k = 0; k < layout_.k; k += 4) {
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(4, layout_.k - k));
      std::memcpy(place(k / block_length) + k % block_length / 4 * 64, values + k, count);
    }
  }

 private:
  std::byte* place(std::int64_t block) const {
    return out_ + block / blocks_of_step * layout_.step_bytes() + block % blocks_of_step * layout_.value_bytes();
  }

  const BlockLayout& layout_;
  std::byte* out_;
};

/// Writes the scales of one column, each of `size` bytes, `groups` to a block.
struct ScaleWriter {
  const BlockLayout& layout;
  std::byte* panel{};
  std::int64_t column{};

  void write(const std::uint8_t* scales, std::int64_t count) const {
    const std::int64_t groups = layout.groups();
    const std::int64_t size = layout.scale_bytes() / (block_columns * groups);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = i / groups;
      std::byte* step = panel + block / blocks_of_step * layout.step_bytes() + blocks_of_step * layout.value_bytes();
      std::byte* group = step + block % blocks_of_step * layout.scale_bytes() + i % groups * block_columns * size;
      std::memcpy(group + column * size, scales + i * size, static_cast<std::size_t>(size));
    }
  }
};

}  // namespace

BlockWeights block_weights_of(const Side& side) {
  if (is_mxfp4(side)) return BlockWeights::mxfp4;
  if (is_nvfp4(side)) return BlockWeights::nvfp4;
  if (is_q4_0(side)) return BlockWeights::q4_0;
  if (is_q8_0(side)) return BlockWeights::q8_0;
  fail(ErrorCode::unsupported, "no kernels for blocks of {}/{}", to_string(side.type), to_string(side.scaling));
}

std::int64_t BlockLayout::offset() const {
  switch (weights) {
    case BlockWeights::mxfp4:
    case BlockWeights::nvfp4:
      return 12;
    case BlockWeights::q4_0:
      return 8;
    case BlockWeights::q8_0:
      return 128;
  }
  return 0;
}

BlockLayout block_layout_of(const Problem& problem) {
  return {.weights = block_weights_of(problem.w), .n = problem.n, .k = problem.k};
}

BlockSource block_source_of(const Problem& problem, const Operands& operands, std::int64_t batch) {
  const std::int64_t values = problem.n * storage_bytes(problem.w.type, problem.k);
  const std::int64_t scales = scale_grid(problem.w.scaling, problem.n, problem.k).bytes();
  return {.values = reinterpret_cast<const std::uint8_t*>(operands.w) + batch * values,
          .scales = reinterpret_cast<const std::uint8_t*>(operands.w_scale) + batch * scales};
}

BlockHeader block_header_of(const BlockLayout& layout, const BlockSource& source) {
  BlockHeader header{.adds_exponents = adds_exponents(layout, source.scales) ? 1U : 0U};
  if (layout.weights == BlockWeights::nvfp4) {
    const std::int64_t offset = scale_grid(Scaling::nv_1x16, layout.n, layout.k).tensor_scale_offset();
    std::memcpy(&header.factor, source.scales + offset, 4);
  }
  return header;
}

void pack_block_panel(const BlockLayout& layout, const BlockSource& source, std::int64_t panel, std::byte* out) {
  const std::int64_t first = panel * block_columns;
  const std::int64_t columns = std::min(block_columns, layout.n - first);
  std::memset(out, 0, static_cast<std::size_t>(layout.panel_bytes()));
  const bool bytes = layout.weights == BlockWeights::q8_0;
  const std::int64_t row_bytes = bytes ? layout.k : layout.k / 2;
  const std::int64_t length = block_length / layout.groups();
  const std::int64_t scales = (layout.k + length - 1) / length;
  const std::int64_t scale_size = layout.scale_bytes() / (block_columns * layout.groups());
  for (std::int64_t c = 0; c < columns; ++c) {
    const ColumnWriter writer(layout, out + 4 * c);
    const std::uint8_t* values = source.values + (first + c) * row_bytes;
    bytes ? writer.write_bytes(values) : writer.write_nibbles(values);
    const ScaleWriter scale_writer{.layout = layout, .panel = out, .column = c};
    scale_writer.write(source.scales + (first + c) * scales * scale_size, scales);
  }
}

}  // namespace gemmtune::cpu_tile
