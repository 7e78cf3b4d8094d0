#include "gemmtune/dispatch/index/lookup_key.h"

namespace gemmtune {

/// Multiplies by an odd constant and folds in the upper half after each step, so that every bit of every distance
/// affects every bit of the result.
std::uint64_t variant_of(const Problem& p) noexcept {
  const Layout layout = canonical_layout(p);
  const auto word = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto kinds =
      word(layout.a) | word(layout.w) << 1 | word(p.epilogue.activation) << 2 | word(p.epilogue.residual) << 8;
  std::uint64_t hash = 0;
  for (const auto part : {kinds, word(layout.a_strides.leading_dimension), word(layout.a_strides.batch),
                          word(layout.w_strides.leading_dimension), word(layout.w_strides.batch),
                          word(layout.c_strides.leading_dimension), word(layout.c_strides.batch)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace gemmtune
