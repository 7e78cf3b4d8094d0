// What cuBLASLt leaves to its users: kernels that rearrange scales into the order that it wants, and kernels that scale
// its int32 products.
#pragma once

#include <cstddef>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cublaslt {

/// Rearranges 1x128 scales of A from [batch][M][K/128] to [batch][K/128][M], and 128x128 scales of the weights from
/// [batch][N/128][K/128] to rows that are padded to a multiple of 4. Either may be left out.
class ScaleArranger {
 public:
  struct Wanted {
    bool a{};
    bool w{};
  };

  /// Compiles. Throws Error{unsupported} with the compiler's log.
  ScaleArranger(const Problem& problem, Wanted wanted, const std::string& arch);

  std::size_t a_bytes() const;
  std::size_t w_bytes() const;

  /// `a_scale` and `w_scale` have room for a_bytes() and w_bytes().
  void launch(const Operands& operands, std::byte* a_scale, std::byte* w_scale, Stream& stream) const noexcept;

 private:
  std::int64_t a_count() const;
  std::int64_t w_count() const;

  Problem problem_{};
  Wanted wanted_{};
  GpuModule module_;
  GpuFunction function_{};
};

/// Computes C from the int32 or f32 product [batch][M][N], in float: round(product) · (a_scale · w_scale) + bias. Each
/// operation is rounded to nearest even, and the result is rounded to the output's type. Absent scales count as 1, and
/// an absent bias is not added.
class ProductScaler {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log.
  ProductScaler(const Problem& problem, DType product, const std::string& arch);

  void launch(const std::byte* product, const Operands& operands, Stream& stream) const noexcept;

 private:
  Problem problem_{};
  GpuModule module_;
  GpuFunction function_{};
};

/// The sources of these kernels, for tests that compile everything.
KernelSource arranger_source(const std::string& arch);
KernelSource scaler_source(const Problem& problem, DType product, const std::string& arch);

}  // namespace gemmtune::cublaslt
