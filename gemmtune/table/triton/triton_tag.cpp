#include "gemmtune/table/triton/triton_tag.h"

namespace gemmtune {

TritonName triton_kernel_of(Format format, bool packed) {
  switch (format) {
    case Format::a16w16:
      return {.tag = "A16W16"};
    case Format::a8w8:
    case Format::a8w8_bpreshuffle:
      return {.tag = "A8W8"};
    case Format::a8w8_blockscale:
      return {.tag = packed ? "A8W8_BLOCKSCALE_PRESHUFFLED" : "A8W8_BLOCKSCALE"};
    case Format::a4w4:
      return {.tag = packed ? "AFP4WFP4_PRESHUFFLED" : "AFP4WFP4"};
    case Format::batched_a16w16:
      return {.kernel = "BATCHED_GEMM", .tag = "A16W16"};
    case Format::batched_a8w8:
      return {.kernel = "BATCHED_GEMM", .tag = "A8W8"};
    default:  // AITER's Triton has no kernel for them
      break;
  }
  return {};
}

}  // namespace gemmtune
