// MXFP4 weights in the layout that the small-M kernels read. They stay 4-bit and are rearranged once (pack.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// How the weights' block scales are applied.
enum class PackedScales : std::uint8_t {
  row,    // in the e4m3 values, relative to a base for each row, whose blocks spread over 11 binades at most
  block,  // each block's sum is multiplied by its scale in f32; up to 138 binades
};

/// The source that a packer compiles. It is the same for all sizes.
KernelSource small_m_pack_source(PackedScales scales);

class SmallMPacker {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log.
  SmallMPacker(const Problem& problem, PackedScales scales);

  std::size_t bytes() const;
  /// The offset of the f32 bases of W's rows, which follow the bricks.
  std::size_t bases() const;

  /// A text that is equal for packers whose packed weights have one layout, whatever the sizes.
  std::string layout_name() const { return scales_ == PackedScales::row ? "bricks by row" : "bricks by block"; }

  /// Packs the weights and waits for the stream. Throws Error{unsupported} if the exponents of a row spread too far for
  /// the scales.
  void pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const;

 private:
  Problem problem_{};
  PackedScales scales_{};
  GpuModule module_;
  GpuFunction pack_{};
};

}  // namespace gemmtune
