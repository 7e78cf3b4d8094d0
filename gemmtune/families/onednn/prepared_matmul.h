// A prepared candidate of the onednn family: conversions, the library's matmul, and the pass over its product.
#pragma once

#include <memory>

#include "gemmtune/families/family.h"
#include "gemmtune/families/onednn/arithmetic.h"

namespace gemmtune::onednn {

/// What is done with the weights before they are multiplied.
enum class WeightUse : std::uint8_t {
  plain,      // as the problem has them
  blocked,    // reordered once into the library's own layout: only for packed problems
  reordered,  // reordered into the library's own layout in each launch
};

struct Choice {
  Problem problem{};
  Arithmetic arithmetic{};
  WeightUse weights{};
  int threads{1};          // threads of a launch
  int packing_threads{1};  // threads of packing, which is not part of a launch
};

/// Throws Error{unsupported} with the library's reason.
std::unique_ptr<PreparedGemm> prepare_matmul(const Choice& choice);

/// Why the library cannot do this, or "".
std::string why_not_matmul(const Choice& choice);

}  // namespace gemmtune::onednn
