// Converts gemmtune's types to the library's.
#pragma once

#include "gemmtune/core/error.h"
#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/vendor_api.h"

namespace gemmtune::cublaslt {

inline cudaDataType vendor_type(DType type) {
  switch (type) {
    case DType::f32:
    case DType::tf32:
      return CUDA_R_32F;
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::e4m3:
      return CUDA_R_8F_E4M3;
    case DType::i8:
      return CUDA_R_8I;
    case DType::i32:
      return CUDA_R_32I;
    default:
      fail(ErrorCode::internal, "cublaslt is never asked for {}", to_string(type));
  }
}

inline bool sums_integers(const MatmulSpec& spec) { return spec.operand == DType::i8; }

inline cublasComputeType_t compute_type(const MatmulSpec& spec) {
  if (spec.operand == DType::tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return sums_integers(spec) ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
}

/// The type of alpha and beta.
inline cudaDataType factor_type(const MatmulSpec& spec) { return sums_integers(spec) ? CUDA_R_32I : CUDA_R_32F; }

/// The library's epilogue. The library adds the residual before it, with beta = 1.
inline cublasLtEpilogue_t library_epilogue(const Epilogue& epilogue) {
  switch (epilogue.activation) {
    case Activation::none:
      return epilogue.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case Activation::relu:
      return epilogue.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu_tanh:
      return epilogue.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default:
      fail(ErrorCode::unsupported, "cuBLASLt has no epilogue {}", to_string(epilogue.activation));
  }
}

struct ScaleModes {
  std::int32_t w{};
  std::int32_t a{};
};

inline ScaleModes scale_modes(LibraryScales scales) {
  switch (scales) {
    case LibraryScales::row:
      return {CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F};
    case LibraryScales::block:
      return {CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F};
    default:
      return {CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F};
  }
}

}  // namespace gemmtune::cublaslt
