// Names of the enumerators of fold_rules.h, as kernels spell them, for the compiler's options.
#pragma once

#include <string_view>

#include "gemmtune/kernels/fold_rules.h"

namespace gemmtune {

constexpr std::string_view fold_word(FoldType type) {
  if (type == FoldType::e4m3) return "e4m3";
  return type == FoldType::int8 ? "int8" : "bf16";
}

constexpr std::string_view fold_word(FoldBase base) {
  if (base == FoldBase::row) return "row";
  if (base == FoldBase::tensor) return "tensor";
  return base == FoldBase::chunk ? "chunk" : "none";
}

constexpr std::string_view fold_word(InputLayout layout) { return layout == InputLayout::plain ? "plain" : "shuffled"; }

}  // namespace gemmtune
