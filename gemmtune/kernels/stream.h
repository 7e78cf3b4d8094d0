// MXFP4 × MXFP4 for few rows of A, on Hopper: weights stay 4-bit, stream once from memory, and become e4m3 on their way
// to the tensor cores; activations are read as they are. One launch, no workspace. docs/mxfp4-on-hopper.md says how.
//
// Not: what to choose (families/mxfp4_stream).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Where the weights' scales go.
enum class StreamScales : std::uint8_t {
  row,    // into the e4m3 values, below a base for each row: rows whose blocks spread over 11 binades at most. Sums are
          // moved to float after 128 of K
  block,  // each block's own is multiplied with in f32: up to 138 binades. Sums are moved to float after each block,
          // before the tensor core rounds any
};

struct StreamTile {
  std::int64_t rows_a{16};     // of A in a tile: a multiple of 8 up to 128
  std::int64_t row_groups{1};  // warpgroups side by side, 64 rows of W each
  std::int64_t k_groups{2};    // warpgroups that share rows and split K
  std::int64_t cluster{1};     // blocks that share rows and split K
  std::int64_t stages{4};      // units of W that are on their way to each warpgroup
  std::int64_t converters{2};  // warps that make A's codes e4m3: 2 or 6
  StreamScales scales{};

  auto operator<=>(const StreamTile&) const = default;
};

/// Why there is no such kernel, or "".
std::string why_no_stream(const Problem& problem, const StreamTile& tile);

inline constexpr std::int64_t most_stream_shared_bytes = 232'448;
std::int64_t stream_shared_bytes(const StreamTile& tile);

/// Tiles of C, row_groups · 64 rows of W each, over all batches.
std::int64_t stream_tiles(const Problem& problem, const StreamTile& tile);

/// What is compiled, for tests that compile everything; the same for all sizes.
KernelSource stream_source(const Problem& problem, const StreamTile& tile);
KernelSource stream_pack_source(const StreamTile& tile);

class StreamGemm {
 public:
  /// Compiles. Throws Error{unsupported} for what why_no_stream says, and with the compiler's log.
  StreamGemm(const Problem& problem, const StreamTile& tile, std::int64_t multiprocessors);

  std::size_t packed_bytes() const;

  /// Throws Error{unsupported} when rows of the weights spread too far for the tile's scales.
  void pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const;

  /// From a, a_scale, packed_w and bias to c. `scales` of 255 make their rows and columns of C NaN.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  Problem problem_{};
  StreamTile tile_{};
  unsigned blocks_{};
  GpuModule packing_;
  GpuModule multiplying_;
  GpuFunction pack_{};
  GpuFunction multiply_{};
};

}  // namespace gemmtune
