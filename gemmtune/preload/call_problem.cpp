#include "gemmtune/preload/call_problem.h"

#include <algorithm>

#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/preload/vendor_api.h"

namespace gemmtune::preload {
namespace {

std::optional<DType> operand_type(const LibraryCall& call) {
  const bool tf32 = call.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (call.a.type != call.b.type || (call.compute != CUBLAS_COMPUTE_32F && !tf32)) return std::nullopt;
  switch (call.a.type) {
    case CUDA_R_32F:
      return tf32 ? DType::tf32 : DType::f32;
    case CUDA_R_16F:
      return tf32 ? std::nullopt : std::optional(DType::f16);
    case CUDA_R_16BF:
      return tf32 ? std::nullopt : std::optional(DType::bf16);
    case CUDA_R_8F_E4M3:
      return tf32 ? std::nullopt : std::optional(DType::e4m3);
    default:
      return std::nullopt;
  }
}

std::optional<DType> output_type(std::int32_t type) {
  if (type == CUDA_R_32F) return DType::f32;
  if (type == CUDA_R_16F) return DType::f16;
  return type == CUDA_R_16BF ? std::optional(DType::bf16) : std::nullopt;
}

struct Scalings {
  Scaling a{Scaling::none};
  Scaling w{Scaling::none};
};

/// The library's A is gemmtune's weights.
std::optional<Scalings> scalings_of(const LibraryCall& call) {
  if (!call.has_a_scale && !call.has_b_scale) return Scalings{};
  if (!call.has_a_scale || !call.has_b_scale) return std::nullopt;
  const auto is = [&](auto a, auto b) { return call.a_scale_mode == a && call.b_scale_mode == b; };
  if (is(CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F))
    return Scalings{Scaling::tensor, Scaling::tensor};
  if (is(CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F))
    return Scalings{Scaling::row, Scaling::row};
  if (is(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F))
    return Scalings{Scaling::block_1x128, Scaling::block_128x128};
  return std::nullopt;
}

std::optional<Epilogue> epilogue_of(const LibraryCall& call) {
  const bool own_bias_type = call.bias_type != -1 && call.bias_type != call.d.type;
  const auto made = [&](bool bias, Activation activation) -> std::optional<Epilogue> {
    if (bias && own_bias_type) return std::nullopt;
    return Epilogue{.bias = bias, .activation = activation, .residual = call.adds_c};
  };
  switch (call.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return made(false, Activation::none);
    case CUBLASLT_EPILOGUE_BIAS:
      return made(true, Activation::none);
    case CUBLASLT_EPILOGUE_RELU:
      return made(false, Activation::relu);
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return made(true, Activation::relu);
    case CUBLASLT_EPILOGUE_GELU:
      return made(false, Activation::gelu_tanh);
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return made(true, Activation::gelu_tanh);
    default:
      return std::nullopt;
  }
}

std::optional<Major> major_of(std::int32_t operation, cublasOperation_t of_k) {
  if (operation == of_k) return Major::k;
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T ? std::optional(Major::mn) : std::nullopt;
}

bool is_whole(const CallMatrix& m, std::int32_t batch) {
  const bool apart = batch == 1 || m.batch_stride >= m.leading_dimension * (m.columns - 1) + m.rows;
  return m.order == CUBLASLT_ORDER_COL && m.batch == batch && m.rows > 0 && m.columns > 0 &&
         m.leading_dimension >= m.rows && apart;
}

Strides strides_of(const CallMatrix& m) {
  return {.leading_dimension = m.leading_dimension, .batch = m.batch > 1 ? m.batch_stride : 0};
}

struct Sizes {
  std::int64_t rows{};
  std::int64_t columns{};

  bool operator==(const Sizes&) const = default;
};

Sizes stored_sizes(std::int64_t outer, std::int64_t k, Major major) {
  return major == Major::k ? Sizes{k, outer} : Sizes{outer, k};
}

/// Whether the matrices have the sizes of a product, and C is stored like D.
bool fits(const LibraryCall& call, const Problem& problem) {
  const auto& p = problem;
  return call.c == call.d && Sizes{call.a.rows, call.a.columns} == stored_sizes(p.n, p.k, p.layout.w) &&
         Sizes{call.b.rows, call.b.columns} == stored_sizes(p.m, p.k, p.layout.a);
}

/// The sizes, the types and the layout; the rest of the problem is the default.
std::optional<Problem> product_of(const LibraryCall& call) {
  const auto operand = operand_type(call);
  const auto out = output_type(call.d.type);
  const auto w_major = major_of(call.a_operation, CUBLAS_OP_T);
  const auto a_major = major_of(call.b_operation, CUBLAS_OP_N);
  const auto batch = call.d.batch;
  const bool whole = std::ranges::all_of(std::initializer_list<const CallMatrix*>{&call.a, &call.b, &call.d},
                                         [&](const CallMatrix* matrix) { return is_whole(*matrix, batch); });
  if (call.is_unusual || !operand || !out || !w_major || !a_major || !whole || call.scale_type != CUDA_R_32F)
    return std::nullopt;
  return Problem{.m = call.d.columns,
                 .n = call.d.rows,
                 .k = *w_major == Major::k ? call.a.rows : call.a.columns,
                 .batch = batch,
                 .a = {.type = *operand},
                 .w = {.type = *operand},
                 .out = *out,
                 .layout = {.a = *a_major,
                            .w = *w_major,
                            .a_strides = strides_of(call.b),
                            .w_strides = strides_of(call.a),
                            .c_strides = strides_of(call.d)}};
}

}  // namespace

std::optional<Problem> problem_of(const LibraryCall& call) {
  auto problem = product_of(call);
  const auto scalings = scalings_of(call);
  const auto epilogue = epilogue_of(call);
  if (!problem || !scalings || !epilogue || !fits(call, *problem)) return std::nullopt;
  const bool scaled_batch = problem->batch > 1 && call.has_a_scale;
  if (scaled_batch || (call.has_a_scale && problem->a.type != DType::e4m3)) return std::nullopt;
  problem->a.scaling = scalings->a;
  problem->w.scaling = scalings->w;
  problem->epilogue = *epilogue;
  problem->layout = canonical_layout(*problem);
  const bool known = why_invalid(*problem).empty() && cublaslt::why_no_call(*problem).empty();
  return known ? problem : std::nullopt;
}

}  // namespace gemmtune::preload
