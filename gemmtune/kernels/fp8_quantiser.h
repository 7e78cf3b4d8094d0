// Quantises the activations of a call to E4M3 on the GPU, to the same bits as gemm/quantise.h, except that NaN may have
// other bits: for problems whose A is Scaling::fp8_1x128 or fp8_row. Kernels that start early can load their weights
// meanwhile (kernels/pdl.cuh).
//
// It is not the quantiser for models: kernels/group_quantise.h takes other types, scales and distances between rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Offsets of the parts of a buffer of `bytes` bytes. Each is a multiple of 256.
struct Fp8QuantisedLayout {
  std::size_t values{};  // E4M3 [rows][k]
  std::size_t scales{};  // f32 [rows][k / 128], or [rows]
  std::size_t bytes{};
};

/// Why A of such a problem is not quantised ("K % 128 != 0"), or "".
std::string why_no_fp8_quantiser(const Problem& problem);

/// What it compiles. It is the same for all sizes.
KernelSource fp8_quantise_source(const Side& a);

class Fp8Quantiser {
 public:
  /// Compiles. Throws Error{unsupported} with the reason from why_no_fp8_quantiser(), or with the compiler's log.
  explicit Fp8Quantiser(const Problem& problem);

  Fp8QuantisedLayout layout() const;

  /// `a` is aligned to 16 bytes. The earlier contents of `quantised` do not matter. Short kernels start early.
  void launch(const std::byte* a, std::byte* quantised, Stream& stream) const noexcept;

 private:
  Side a_{};
  std::int64_t rows_{};
  std::int64_t k_{};
  GpuModule module_;
  GpuFunction quantise_{};
};

}  // namespace gemmtune
