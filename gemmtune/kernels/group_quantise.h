// Quantises rows on the GPU in one launch, to the same bits as gemm/quantise.h: one scale for each row, for each 1x128
// or 128x128 block (f32), or for each 1x32 block (E8M0: MXFP4 in mode `even`, MXFP8).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// `rows` × `k` row-major elements of type `from`, `leading_dimension` elements apart (0: k), and what they become.
struct GroupQuantiseSpec {
  DType from{DType::bf16};  // or f16 or f32
  Side to{};
  std::int64_t rows{};
  std::int64_t k{};
  std::int64_t leading_dimension{};

  auto operator<=>(const GroupQuantiseSpec&) const = default;
};

/// Values [rows, k] are written without gaps. `from` and `scales` are aligned to their elements.
struct GroupQuantiseMemory {
  const std::byte* from{};
  std::byte* values{};
  std::byte* scales{};
};

class GroupQuantiser {
 public:
  /// Compiles for the types and the scaling of `spec`, and for any sizes. Throws Error{unsupported} with the compiler's
  /// log, or for types that are not quantised. The caller has checked everything else.
  GroupQuantiser(const GroupQuantiseSpec& spec, const std::string& arch);

  /// `spec` has the types and the scaling that this was compiled for.
  void launch(const GroupQuantiseSpec& spec, const GroupQuantiseMemory& memory, Stream& stream) const noexcept;

 private:
  GpuModule module_;
  GpuFunction function_{};
};

/// What a GroupQuantiser compiles, for tests that compile everything.
KernelSource group_quantise_source(const GroupQuantiseSpec& spec, const std::string& arch);

}  // namespace gemmtune
