// cuBLASLt for MXFP4: operands are turned into a type that the library multiplies, the weights when they are packed and
// the activations in each call. For the families mxfp4_cublaslt and mxfp4_bf16, which are this one's candidates behind
// a conversion; no other may include a header of this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold_rules.h"

namespace gemmtune::cublaslt {

/// One way to put MXFP4 to the library.
struct FoldedRoute {
  std::string word{};  // in names: "row"
  FoldType type{};
  FoldBase base{};
  Side inner{};  // what either side then is
};

struct FoldedFamilyRules {
  std::string name{};  // names are this, a route's word, and the library's candidate: mxfp4_cublaslt_row_cublaslt_…
  std::vector<FoldedRoute> routes{};  // the default one first
  std::size_t most_of_a_route{};      // candidates, the library's own choice and ranking before others
  bool first_is_default{};            // what users have without tuning
};

/// Rows of activations that do not fold are computed in the same launch by kernels/rescue.h; weights with such rows are
/// refused when they are packed.
std::unique_ptr<KernelFamily> make_folded_family(FoldedFamilyRules rules);

}  // namespace gemmtune::cublaslt
