// MXFP4 dequantised to bf16 and multiplied by cuBLASLt, as users of a GPU without MXFP4 do. It is exact for every
// operand: bf16 has the exponents of float, and E2M1 has two significant bits, so bf16 holds every dequantised value
// that float holds. Activations may also be bf16 to begin with (a16w4).
#include "gemmtune/families/cublaslt/folded.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_bf16_family();

std::unique_ptr<KernelFamily> make_mxfp4_bf16_family() {
  return cublaslt::make_folded_family(
      {.name = "mxfp4_bf16",
       .routes =
           {{.word = "plain", .type = FoldType::bf16, .base = FoldBase::none, .inner = {DType::bf16, Scaling::none}}},
       .most_of_a_route = 200,
       .first_is_default = true,
       .takes_unfolded_a = true});
}

}  // namespace gemmtune
