#include "gemmtune/families/cublaslt/call.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gemmtune::cublaslt {
namespace {

Call call(const char* problem) { return call_of(parse_problem(problem)); }
std::string why(const char* problem) { return why_no_call(parse_problem(problem)); }

TEST(CublasltCall, WhatIsOffered) {
  for (const char* problem :
       {"33x65x127:bf16:bf16:bf16", "33x65x127:bf16:bf16:f32:bias", "33x65x127:fp16:fp16:fp16:batch=3",
        "33x65x127:f32:f32:f32:bias", "33x65x127:tf32:tf32:f32:bias", "33x64x128:int8/row:int8/row:bf16:bias",
        "33x64x128:int8/tensor:int8/row:fp16", "33x64x128:e4m3:e4m3:f32", "33x64x128:e4m3/tensor:e4m3/tensor:bf16:bias",
        "36x64x128:e4m3/row:e4m3/row:fp16:batch=2", "36x64x128:e4m3/1x128:e4m3/128x128:bf16"})
    EXPECT_EQ(why(problem), "") << problem;
}

TEST(CublasltCall, WhatIsNotSaysWhy) {
  EXPECT_EQ(why("1x1x1:bf16:f32:f32"), "bf16 x f32 is not multiplied");
  EXPECT_EQ(why("1x1x1:tf32:tf32:bf16"), "there is no product of tf32 operands with bf16 output");
  EXPECT_EQ(why("1x1x1:fp16:fp16:bf16"), "there is no product of f16 operands with bf16 output");
  EXPECT_EQ(why("1x1x32:e4m3/row:e4m3/tensor:bf16"),
            "e4m3 operands need scales tensor x tensor, row x row or 1x128 x 128x128, not row x tensor");
  EXPECT_EQ(why("1x1x32:e4m3/row:e4m3/row:f32:bias"),
            "e4m3 with an f32 output takes a bf16 bias, and biases are of the output's type");
  EXPECT_EQ(why("33x64x128:e4m3/1x128:e4m3/128x128:bf16"), "1x128 scales need M % 4 == 0");
  EXPECT_EQ(why("4x4x24:e4m3/row:e4m3/row:bf16"), "e4m3 needs K % 16 == 0");
  EXPECT_EQ(why("4x4x32:e2m1/1x32:e2m1/1x32:bf16"), "e2m1 is not multiplied");
  EXPECT_EQ(why("4x4x32:int8/row:int8/row:bf16:ldc=8"), "the scaled output of int8 operands must be contiguous");
  for (const char* epilogue : {"relu", "gelu_tanh", "residual", "bias:residual"})
    EXPECT_EQ(why(fmt::format("4x4x32:int8/row:int8/row:bf16:{}", epilogue).c_str()),
              "the scaled output of int8 operands takes no residual and no activation");
}

TEST(CublasltCall, FloatsAreOneCall) {
  const auto plain = call("33x65x127:bf16:bf16:f32:batch=3:bias");
  EXPECT_EQ(plain.matmul, (MatmulSpec{.m = 33,
                                      .n = 65,
                                      .k = 127,
                                      .batch = 3,
                                      .w = {127, 65, 127, 127 * 65},
                                      .a = {127, 33, 127, 127 * 33},
                                      .d = {65, 33, 65, 65 * 33},
                                      .operand = DType::bf16,
                                      .product = DType::f32,
                                      .scales = LibraryScales::none,
                                      .epilogue = {.bias = true},
                                      .fast_accumulation = false,
                                      .alignment = 256}));
  EXPECT_EQ(plain.count, 1);
  EXPECT_FALSE(plain.finishes);
  EXPECT_FALSE(plain.has_fast_accumulation);
}

TEST(CublasltCall, StoredRowsAreTheLibrarysColumns) {
  const auto spec = call("33x65x127:bf16:bf16:bf16:batch=3:tn:lda=40:ldw=70:ldc=80:stride_a=6000:stride_c=3000").matmul;
  EXPECT_EQ(spec.a_major, Major::mn);
  EXPECT_EQ(spec.w_major, Major::mn);
  EXPECT_EQ(spec.a, (LibraryMatrix{.rows = 33, .columns = 127, .leading_dimension = 40, .batch_stride = 6000}));
  EXPECT_EQ(spec.w, (LibraryMatrix{.rows = 65, .columns = 127, .leading_dimension = 70, .batch_stride = 70 * 127}));
  EXPECT_EQ(spec.d, (LibraryMatrix{.rows = 65, .columns = 33, .leading_dimension = 80, .batch_stride = 3000}));
}

TEST(CublasltCall, TheLibraryGetsTheWholeEpilogue) {
  EXPECT_EQ(call("33x64x128:e4m3/row:e4m3/row:bf16:bias:gelu_tanh:residual").matmul.epilogue,
            (Epilogue{.bias = true, .activation = Activation::gelu_tanh, .residual = true}));
}

TEST(CublasltCall, Int8ProductsAreFinishedByUs) {
  const auto int8 = call("33x64x128:int8/row:int8/tensor:bf16:batch=2:bias");
  EXPECT_EQ(int8.matmul.product, DType::i32);
  EXPECT_EQ(int8.matmul.batch, 2);
  EXPECT_EQ(int8.matmul.epilogue, Epilogue{});
  EXPECT_TRUE(int8.finishes);
}

TEST(CublasltCall, ScaledBatchesAreACallEach) {
  const auto scaled = call("24x40x48:e4m3/row:e4m3/row:bf16:batch=5");
  EXPECT_EQ(scaled.matmul.batch, 1);
  EXPECT_EQ(scaled.count, 5);
  EXPECT_EQ(scaled.matmul.alignment, 128);  // of 24·48, 40·48 and 24·40·2 bytes: 1152, 1920 and 1920
  EXPECT_TRUE(scaled.has_fast_accumulation);
  EXPECT_EQ(call("24x40x48:e4m3:e4m3:bf16:batch=5").count, 1);
  // Gaps move the matrices of a batch: 24·64, 40·48 and 1000·2 bytes.
  EXPECT_EQ(call("24x40x48:e4m3/row:e4m3/row:bf16:batch=5:lda=64:stride_c=1000").matmul.alignment, 16);
}

TEST(CublasltCall, ScalesOfBatchesMustBeAligned) {
  const auto why = [](const char* problem) { return why_no_call(parse_problem(problem)); };
  EXPECT_EQ(why("24x40x48:e4m3/row:e4m3/row:bf16:batch=5"), "");
  EXPECT_EQ(why("25x40x48:e4m3/row:e4m3/row:bf16"), "");
  EXPECT_EQ(why("25x40x48:e4m3:e4m3:bf16:batch=5"), "");
  EXPECT_EQ(why("25x40x48:e4m3/row:e4m3/row:bf16:batch=5"), "batches with row scales need M % 4 == 0 and N % 4 == 0");
  EXPECT_EQ(why("24x40x48:e4m3/tensor:e4m3/tensor:bf16:batch=5"),
            "there is no batched product with one scale for each matrix");
}

TEST(CublasltCall, BlockScalesAreArrangedWhereTheirOrderDiffers) {
  const auto ragged = call("64x128x640:e4m3/1x128:e4m3/128x128:bf16");
  EXPECT_TRUE(ragged.arranges_a_scales);
  EXPECT_TRUE(ragged.arranges_w_scales);
  EXPECT_FALSE(ragged.has_fast_accumulation);
  EXPECT_FALSE(call("64x128x1024:e4m3/1x128:e4m3/128x128:bf16").arranges_w_scales);
  EXPECT_FALSE(call("64x128x128:e4m3/1x128:e4m3/128x128:bf16").arranges_a_scales);
  EXPECT_EQ(padded_k_blocks(640), 8);
  EXPECT_EQ(padded_k_blocks(512), 4);
  EXPECT_EQ(padded_k_blocks(513), 8);
}

}  // namespace
}  // namespace gemmtune::cublaslt
