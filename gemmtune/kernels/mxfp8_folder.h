// Folds MXFP8 on the GPU, for Hopper's tensor cores: activations in each call, weights once when they are packed.
// gemm/mxfp8_fold.h says what that changes, and is the same on the host, to the same bits. K is a multiple of 128.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/mxfp8_fold.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Offsets of the parts of a buffer of `bytes` bytes. Each is a multiple of 256.
struct Mxfp8FoldLayout {
  std::size_t values{};   // E4M3
  std::size_t scales{};   // f32: of A [rows][k / 128], of weights [batch][n]
  std::size_t changes{};  // Mxfp8RowChange, of weights [batch][n]
  std::size_t bytes{};
};

/// How folded weights are stored: [batch][n][k], or in bricks of 64 rows × 128 of K, [batch][⌈n / 64⌉][k / 128], each
/// in the 128-byte swizzle of kernels/wgmma_descriptor.cuh. Rows past n are zeros.
enum class Mxfp8WeightLayout : std::uint8_t { rows, bricks };

class Mxfp8ActivationFolder {
 public:
  /// Compiles. `rows` are those of all matrices of the batch. Throws Error{unsupported} with the compiler's log, or for
  /// a K that is no multiple of 128.
  Mxfp8ActivationFolder(std::int64_t rows, std::int64_t k);

  Mxfp8FoldLayout layout() const;

  /// The earlier contents of `folded` do not matter. The kernel starts early (kernels/pdl.cuh).
  void launch(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const noexcept;

 private:
  std::int64_t rows_{};
  std::int64_t k_{};
  GpuModule module_;
  GpuFunction fold_{};
};

class Mxfp8WeightFolder {
 public:
  /// Of a problem whose weights are MXFP8, with both kinds of blocks. Throws as the other folder.
  Mxfp8WeightFolder(const Problem& problem, Mxfp8WeightLayout stored);

  Mxfp8FoldLayout layout() const;

  /// A text that is equal for buffers with one layout, whatever the sizes.
  std::string layout_name() const;

  /// Folds, waits for the stream, and returns what was changed. Throws Error{unsupported} if a row loses more than
  /// mxfp8_fold_bound_of_w.
  Mxfp8FoldReport fold(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const;

 private:
  std::int64_t stored_rows() const;

  Problem problem_{};
  Mxfp8WeightLayout stored_{};
  GpuModule module_;
  GpuFunction fold_{};
};

/// What both compile. It is the same for all sizes.
KernelSource mxfp8_fold_source();

}  // namespace gemmtune
