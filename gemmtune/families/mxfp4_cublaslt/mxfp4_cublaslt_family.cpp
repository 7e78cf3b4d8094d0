// MXFP4 folded into e4m3 and multiplied by cuBLASLt's FP8 kernels: exact except for their accumulation, and without a
// matmul kernel of our own. The library's tensor-scaled kernels are faster than its row-scaled ones, but need block
// exponents that are close to each other across all rows.
#include "gemmtune/families/cublaslt/folded.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_cublaslt_family();

std::unique_ptr<KernelFamily> make_mxfp4_cublaslt_family() {
  return cublaslt::make_folded_family(
      {.name = "mxfp4_cublaslt",
       .routes = {{.word = "row", .type = FoldType::e4m3, .base = FoldBase::row, .inner = {DType::e4m3, Scaling::row}},
                  {.word = "tensor",
                   .type = FoldType::e4m3,
                   .base = FoldBase::tensor,
                   .inner = {DType::e4m3, Scaling::tensor}}},
       .most_of_a_route = 200});
}

}  // namespace gemmtune
