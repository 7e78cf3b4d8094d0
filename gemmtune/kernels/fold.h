// Folding converts MXFP4 exactly, on the GPU, to a type that Hopper's tensor cores multiply. Activations are folded in
// each call, weights once when they are packed. fold_rules.h says what is exact, and why.
//
// Rows that cannot be folded are left to kernels/rescue.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/kernels/fold_rules.h"  // IWYU pragma: export

namespace gemmtune {

/// What is folded: `rows` (of all batches) × `k`, a multiple of 32.
struct FoldSpec {
  FoldType type{};
  FoldBase base{};
  std::int64_t rows{};
  std::int64_t k{};
  InputLayout values{InputLayout::plain};
  InputLayout e8m0{InputLayout::plain};  // a shuffled layout covers all rows together
  FoldFill fill{FoldFill::low};

  auto operator<=>(const FoldSpec&) const = default;
};

/// Offsets of the parts of one buffer of `bytes` bytes. Each is a multiple of 256.
struct FoldLayout {
  std::size_t values{};  // [rows][k], row-major, of the type
  std::size_t scales{};  // f32: real value = stored value · its scale. [rows], or [1] for a tensor base, or
                         // [ceil(k / 128)][rows] for chunks, or nothing without a base
  std::size_t wide{};    // a byte for each row: wide_row if it does not fit. Its values and its own scales are 0 then
  std::size_t ranges{};  // u16 for each row: the lowest of its blocks' E8M0 bytes, and the highest << 8. Of a wide row
                         // without its blocks of zeros; of others these may count
  std::size_t highest{};
  std::size_t bytes{};
};

/// What folding found, over all rows.
struct FoldReport {
  std::int64_t wide_rows{};
  int most_binades{};  // between the exponents of one row's blocks
};

/// A row fits if its block exponents fit the type's window (fold_rules.h); blocks of zeros do not count. A row with a
/// NaN among its scales gets values 0 and scale NaN, so that everything multiplied by it becomes NaN. With a tensor
/// base, such a row gets NaN values (e4m3, bf16) or counts as wide (int8). With chunks, a NaN affects only its chunk. A
/// row of zeros gets values 0 and any finite scale.
class Folder {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log, or for a K that is no multiple of 32.
  Folder(const FoldSpec& spec, const std::string& arch);

  const FoldSpec& spec() const { return spec_; }
  FoldLayout layout() const;

  /// The earlier contents of `folded` do not matter.
  void launch(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const noexcept;

  /// What a finished launch has found. Waits for the stream.
  FoldReport report(const std::byte* folded, Stream& stream) const;

  /// For weights: launches, waits for the stream, and throws Error{unsupported} if a row does not fit.
  FoldReport fold_weights(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const;

 private:
  std::int64_t units() const;

  FoldSpec spec_{};
  GpuModule module_;
  GpuFunction fold_{};
  GpuFunction find_highest_{};
};

/// The layout of what a Folder writes.
FoldLayout fold_layout(const FoldSpec& spec);

/// A text that is equal for specs whose buffers have one layout, whatever the sizes.
std::string fold_layout_name(const FoldSpec& spec);

/// What a Folder compiles, for tests that compile everything. Throws Error{unsupported} for what cannot be folded.
KernelSource fold_source(const FoldSpec& spec, const std::string& arch);

}  // namespace gemmtune
