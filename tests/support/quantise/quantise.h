// Quantises bf16 and fp16 to MXFP4 on the GPU, to the same bits as gemm/quantise.h.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/e8m0.h"

namespace gemmtune {

/// What is quantised: `rows` × `k`, row-major; k is a multiple of 32.
struct QuantiseSpec {
  DType from{DType::bf16};  // or f16
  E8M0Mode mode{E8M0Mode::even};
  std::int64_t rows{};
  std::int64_t k{};
};

class Quantiser {
 public:
  /// Compiles the kernel. Throws Error{unsupported} with the compiler's log, or for a K or a type that is not allowed.
  Quantiser(const QuantiseSpec& spec, const std::string& arch);

  /// Writes values [rows][k / 2] and scales [rows][k / 32]. All addresses must be multiples of 16.
  void launch(const std::byte* from, std::byte* values, std::byte* e8m0, Stream& stream) const noexcept;

 private:
  QuantiseSpec spec_{};
  GpuModule module_;
  GpuFunction function_{};
};

/// The source that a Quantiser compiles, for tests that compile everything.
KernelSource quantise_source(const QuantiseSpec& spec, const std::string& arch);

}  // namespace gemmtune
