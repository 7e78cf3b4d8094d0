// Packed weights in scaled blocks: column panels (block_kernels.h has their layout), and what is known of all of them.
#pragma once

#include "gemmtune/families/cpu_tile/block_kernels.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cpu_tile {

/// The kind of such weights. Throws Error{unsupported} for others.
BlockWeights block_weights_of(const Side& side);

/// What the panels of one batch element start with.
struct BlockHeader {
  float factor{1};                 // of all sums: NVFP4's scale of the whole tensor
  std::uint32_t adds_exponents{};  // 1: all scales are powers of two far from the ends of float's range
};

/// The sizes of the packed weights of one batch element.
struct BlockLayout {
  BlockWeights weights{};
  std::int64_t n{};
  std::int64_t k{};

  std::int64_t blocks() const { return (k + block_length - 1) / block_length; }
  std::int64_t panels() const { return (n + block_columns - 1) / block_columns; }
  std::int64_t groups() const { return weights == BlockWeights::nvfp4 ? 2 : 1; }
  std::int64_t offset() const;  // that the bytes of the values have where they are unsigned
  std::int64_t value_bytes() const { return weights == BlockWeights::q8_0 ? 512 : 256; }
  std::int64_t scale_bytes() const { return weights == BlockWeights::mxfp4 ? 16 : 32; }
  std::int64_t step_bytes() const { return blocks_of_step * (value_bytes() + scale_bytes()); }
  std::int64_t panel_bytes() const { return (blocks() + blocks_of_step - 1) / blocks_of_step * step_bytes(); }
  std::int64_t bytes() const { return header_bytes + panels() * panel_bytes(); }

  const BlockHeader& header(const std::byte* packed) const { return *reinterpret_cast<const BlockHeader*>(packed); }
  std::int64_t panel_offset(std::int64_t panel) const { return header_bytes + panel * panel_bytes(); }

  static constexpr std::int64_t header_bytes = 64;
};

BlockLayout block_layout_of(const Problem& problem);

/// The weights of one batch element, as they are stored.
struct BlockSource {
  const std::uint8_t* values{};
  const std::uint8_t* scales{};
};

BlockSource block_source_of(const Problem& problem, const Operands& operands, std::int64_t batch);

BlockHeader block_header_of(const BlockLayout& layout, const BlockSource& source);

/// Packs one panel of up to 16 columns; columns beyond N are zeros.
void pack_block_panel(const BlockLayout& layout, const BlockSource& source, std::int64_t panel, std::byte* out);

}  // namespace gemmtune::cpu_tile
