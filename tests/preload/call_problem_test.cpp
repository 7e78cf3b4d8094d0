#include "gemmtune/preload/call_problem.h"

#include <gtest/gtest.h>

#include <random>

#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/vendor_types.h"
#include "gemmtune/preload/vendor_api.h"

namespace gemmtune::preload {
namespace {

CallMatrix matrix_of(const cublaslt::LibraryMatrix& m, DType type, std::int64_t batch) {
  return {.type = cublaslt::vendor_type(type),
          .order = CUBLASLT_ORDER_COL,
          .rows = m.rows,
          .columns = m.columns,
          .leading_dimension = m.leading_dimension,
          .batch = static_cast<std::int32_t>(batch),
          .batch_stride = m.batch_stride};
}

/// The call that the family makes for the problem.
LibraryCall call_for(const Problem& problem) {
  const auto spec = cublaslt::call_of(problem).matmul;
  const auto modes = cublaslt::scale_modes(spec.scales);
  const bool scaled = spec.scales != cublaslt::LibraryScales::none;
  const auto d = matrix_of(spec.d, spec.product, spec.batch);
  return {.compute = cublaslt::compute_type(spec),
          .scale_type = cublaslt::factor_type(spec),
          .a_operation = spec.w_major == Major::k ? CUBLAS_OP_T : CUBLAS_OP_N,
          .b_operation = spec.a_major == Major::k ? CUBLAS_OP_N : CUBLAS_OP_T,
          .epilogue = static_cast<std::uint32_t>(cublaslt::library_epilogue(spec.epilogue)),
          .bias_type = -1,
          .has_a_scale = scaled,
          .has_b_scale = scaled,
          .a_scale_mode = scaled ? modes.w : 0,
          .b_scale_mode = scaled ? modes.a : 0,
          .adds_c = spec.epilogue.residual,
          .a = matrix_of(spec.w, spec.operand, spec.batch),
          .b = matrix_of(spec.a, spec.operand, spec.batch),
          .c = d,
          .d = d};
}

std::string read_back(const LibraryCall& call) {
  const auto problem = problem_of(call);
  return problem ? to_string(*problem) : "";
}

TEST(CallProblem, IsTheInverseOfTheFamilysCall) {
  for (const std::string text :
       {"16x64x96:bf16:bf16:bf16", "16x64x96:f16:f16:f32", "16x64x96:f32:f32:f32", "16x64x96:tf32:tf32:f32",
        "16x64x96:bf16:bf16:bf16:nn", "16x64x96:bf16:bf16:bf16:tn", "16x64x96:bf16:bf16:bf16:tt",
        "16x64x96:bf16:bf16:bf16:lda=128:ldw=104:ldc=72", "16x64x96:bf16:bf16:bf16:batch=3",
        "16x64x96:bf16:bf16:bf16:batch=3:stride_a=2048", "16x64x96:bf16:bf16:bf16:bias:relu",
        "16x64x96:bf16:bf16:bf16:gelu_tanh", "16x64x96:bf16:bf16:bf16:residual", "1x1x1:bf16:bf16:bf16",
        "16x64x128:e4m3:e4m3:bf16", "16x64x128:e4m3/tensor:e4m3/tensor:bf16:bias", "16x64x128:e4m3/row:e4m3/row:f16",
        "16x64x256:e4m3/1x128:e4m3/128x128:bf16"}) {
    const auto problem = parse_problem(text);
    ASSERT_EQ(cublaslt::why_no_call(problem), "") << text;
    EXPECT_EQ(read_back(call_for(problem)), to_string(problem));
  }
}

TEST(CallProblem, DrawnLayoutsAreReadBack) {
  std::mt19937_64 random(20);
  const auto drawn = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int i = 0; i < 500; ++i) {
    Problem problem{.m = drawn(1, 40), .n = drawn(1, 40), .k = drawn(1, 40), .batch = drawn(1, 3)};
    problem.layout = {.a = static_cast<Major>(drawn(0, 1)), .w = static_cast<Major>(drawn(0, 1))};
    const auto leading = [&](const StoredMatrix& m) { return drawn(0, 1) == 0 ? 0 : m.cols + drawn(0, 9); };
    problem.layout.a_strides.leading_dimension = leading(stored_a(problem));
    problem.layout.w_strides.leading_dimension = leading(stored_w(problem));
    problem.layout.c_strides.leading_dimension = leading(stored_c(problem));
    problem.layout = canonical_layout(problem);
    EXPECT_EQ(read_back(call_for(problem)), to_string(problem));
  }
}

/// Each of these changes what is computed, or how it is stored, to something that no problem of gemmtune's says.
TEST(CallProblem, OtherCallsAreNoProblems) {
  const auto plain = call_for(parse_problem("16x64x96:bf16:bf16:bf16:batch=2"));
  ASSERT_NE(read_back(plain), "");
  const auto changed = [&](const auto& change) {
    auto call = plain;
    change(call);
    return read_back(call);
  };
  EXPECT_EQ(changed([](LibraryCall& c) { c.is_unusual = true; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.compute = CUBLAS_COMPUTE_32F_PEDANTIC; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.compute = CUBLAS_COMPUTE_16F; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.compute = CUBLAS_COMPUTE_32F_FAST_TF32; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.scale_type = CUDA_R_16BF; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.a_operation = CUBLAS_OP_C; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.b_operation = CUBLAS_OP_T; }), "");  // its sizes are those of N
  EXPECT_EQ(changed([](LibraryCall& c) { c.epilogue = CUBLASLT_EPILOGUE_RELU_AUX; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.has_a_scale = true; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.has_a_scale = c.has_b_scale = true; }), "");  // of bf16
  EXPECT_EQ(changed([](LibraryCall& c) { c.a.type = CUDA_R_16F; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.a.order = CUBLASLT_ORDER_ROW; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.b.rows += 1; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.b.batch = 1; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.a.batch_stride = 0; }), "");  // one matrix for all
  EXPECT_EQ(changed([](LibraryCall& c) { c.c.type = CUDA_R_32F; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.c.leading_dimension += 8; }), "");
  EXPECT_EQ(changed([](LibraryCall& c) { c.c.type = c.d.type = CUDA_R_8F_E4M3; }), "");
  EXPECT_NE(changed([](LibraryCall& c) { c.bias_type = CUDA_R_32F; }), "");  // there is no bias
  EXPECT_EQ(changed([](LibraryCall& c) {
              c.epilogue = CUBLASLT_EPILOGUE_BIAS;
              c.bias_type = CUDA_R_32F;
            }),
            "");
}

TEST(CallProblem, BatchesWithScalesAndInt8AreNone) {
  auto scaled = call_for(parse_problem("16x64x128:e4m3/row:e4m3/row:bf16"));
  ASSERT_NE(read_back(scaled), "");
  for (auto* matrix : {&scaled.a, &scaled.b, &scaled.c, &scaled.d}) {
    matrix->batch = 2;
    matrix->batch_stride = 1 << 20;
  }
  EXPECT_EQ(read_back(scaled), "");
  EXPECT_EQ(read_back(call_for(parse_problem("16x64x128:int8/row:int8/row:bf16"))), "");
}

}  // namespace
}  // namespace gemmtune::preload
