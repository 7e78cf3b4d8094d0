// cuBLASLt for MXFP4: operands are converted to a type that the library multiplies, the weights when they are packed
// and the activations in each launch. The families mxfp4_cublaslt and mxfp4_bf16 use it. No other family may include a
// header of this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold_rules.h"

namespace gemmtune::cublaslt {

/// One way to multiply MXFP4 with the library.
struct FoldedRoute {
  std::string word{};  // the route's part of names: "row"
  FoldType type{};
  FoldBase base{};
  Side inner{};  // type and scaling of both sides after the conversion
};

struct FoldedFamilyRules {
  std::string name{};  // begins names; a route's word and the library's name follow: mxfp4_cublaslt_row_cublaslt_…
  std::vector<FoldedRoute> routes{};  // the default one first
  std::size_t most_of_a_route{};      // number of candidates; the library's own choice and ranking come before others
  bool first_is_default{};            // whether the first is what users have without tuning
  bool takes_unfolded_a{};            // whether A may also be what its conversion would give: then it is not converted
};

/// Rows of activations that cannot be folded are computed in the same launch by kernels/rescue.h. Weights with such
/// rows are refused when they are packed.
std::unique_ptr<KernelFamily> make_folded_family(FoldedFamilyRules rules);

}  // namespace gemmtune::cublaslt
