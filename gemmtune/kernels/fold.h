// MXFP4 to a type that Hopper's tensor cores multiply, exactly, on the GPU: one launch over activations in each call,
// one over weights when they are packed. What is exact and why stands in fold_rules.h.
//
// Not: what becomes of rows that do not fold (kernels/rescue.h).
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
  InputLayout e8m0{InputLayout::plain};  // shuffled: of all rows together
  FoldFill fill{FoldFill::low};

  auto operator<=>(const FoldSpec&) const = default;
};

/// Where the parts stand in one buffer of `bytes`, each at a multiple of 256.
struct FoldLayout {
  std::size_t values{};  // [rows][k], row-major, of the type
  std::size_t scales{};  // f32: real value = stored value · its scale. [rows], or [1] for a tensor base, or
                         // [ceil(k / 128)][rows] for chunks, or nothing without a base
  std::size_t wide{};  // a byte for each row: wide_row where it does not fit; its values and its own scales are 0 then
  std::size_t ranges{};  // u16 for each row: the lowest of its blocks' E8M0 bytes, and the highest << 8. Of a wide row
                         // without its blocks of zeros; of others these may count
  std::size_t highest{};
  std::size_t bytes{};
};

/// What folding found in all rows together.
struct FoldReport {
  std::int64_t wide_rows{};
  int most_binades{};  // between the exponents of one row's blocks
};

/// A row fits when its block exponents do (fold_rules.h), blocks of zeros left out. A row with a NaN among its scales
/// has values 0 and scale NaN, so that all it is multiplied with comes out NaN; with a tensor base its values are NaN
/// (e4m3, bf16), or it counts as wide (int8). With chunks a NaN is its chunk's alone. A row of zeros has values 0 and
/// any finite scale.
class Folder {
 public:
  /// Compiles. Throws Error{unsupported} with the compiler's log, or for a K that is no multiple of 32.
  Folder(const FoldSpec& spec, const std::string& arch);

  const FoldSpec& spec() const { return spec_; }
  FoldLayout layout() const;

  /// Needs nothing of what `folded` held before.
  void launch(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const noexcept;

  /// What a finished launch found. Waits for the stream.
  FoldReport report(const std::byte* folded, Stream& stream) const;

  /// For weights: launches, waits, and throws Error{unsupported} when a row does not fit.
  FoldReport fold_weights(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const;

 private:
  std::int64_t units() const;

  FoldSpec spec_{};
  GpuModule module_;
  GpuFunction fold_{};
  GpuFunction find_highest_{};
};

/// The FoldLayout of a spec, without compiling.
FoldLayout fold_layout(const FoldSpec& spec);

/// What a Folder compiles, for tests that compile everything. Throws Error{unsupported} for what cannot be folded.
KernelSource fold_source(const FoldSpec& spec, const std::string& arch);

}  // namespace gemmtune
