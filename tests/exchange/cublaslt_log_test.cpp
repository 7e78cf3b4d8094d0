#include "gemmtune/exchange/cublaslt_log.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string line(std::string_view a, std::string_view b, std::string_view d, std::string_view compute,
                 std::string_view end = "beta=0 outOfPlace=0 stream=0X0") {
  return "[2026-11-04 15:08:47][cublasLt][53055][Trace][cublasLtMatmul] A=0X1 Adesc=[" + std::string(a) +
         "] B=0X2 Bdesc=[" + std::string(b) + "] C=0X3 Cdesc=[" + std::string(d) + "] D=0X3 Ddesc=[" + std::string(d) +
         "] computeDesc=[" + std::string(compute) + "] algo=[algoId=67] workSpace=0X0 workSpaceSizeInBytes=0 " +
         std::string(end);
}

std::string problem_of(std::string_view text) { return to_string(cublaslt_log_problem(text)); }

constexpr const char* w = "type=R_16BF rows=1024 cols=2048 ld=1024";
constexpr const char* x = "type=R_16BF rows=1024 cols=32 ld=1024";
constexpr const char* y = "type=R_16BF rows=2048 cols=32 ld=2048";

TEST(CublasltLog, TransposesAndSizes) {
  EXPECT_EQ(problem_of(line(w, x, y, "computeType=COMPUTE_32F scaleType=R_32F transa=OP_T")),
            "32x2048x1024:bf16:bf16:bf16");
  EXPECT_EQ(problem_of(line("type=R_16BF rows=2048 cols=1024 ld=2048", x, y, "computeType=COMPUTE_32F")),
            "32x2048x1024:bf16:bf16:bf16:nn");
}

TEST(CublasltLog, EpiloguesAndTheSum) {
  EXPECT_EQ(problem_of(line(w, x, y, "transa=OP_T epilogue=EPILOGUE_GELU_BIAS biasPointer=0x1")),
            "32x2048x1024:bf16:bf16:bf16:bias:gelu_tanh");
  EXPECT_EQ(problem_of(line(w, x, y, "transa=OP_T", "beta=1 stream=0X0")), "32x2048x1024:bf16:bf16:bf16:residual");
}

TEST(CublasltLog, Scales) {
  const auto* w8 = "type=R_8F_E4M3 rows=1024 cols=2048 ld=1024";
  const auto* x8 = "type=R_8F_E4M3 rows=1024 cols=32 ld=1024";
  EXPECT_EQ(problem_of(line(w8, x8, y, "transa=OP_T aScalePointer=0x1 bScalePointer=0x2")),
            "32x2048x1024:e4m3/tensor:e4m3/tensor:bf16");
  EXPECT_EQ(problem_of(line(w8, x8, y,
                            "transa=OP_T aScalePointer=0x1 bScalePointer=0x2 aScaleMode=BLK128x128_32F "
                            "bScaleMode=VEC128_32F")),
            "32x2048x1024:e4m3/1x128:e4m3/128x128:bf16");
}

TEST(CublasltLog, WhatIsNotKnownSaysWhy) {
  for (const auto& text :
       {line("type=R_16BF rows=1024 cols=2048 ld=1024 order=ORDER_ROW", x, y, "transa=OP_T"),
        line("type=R_8F_E5M2 rows=1024 cols=2048 ld=1024", x, y, "transa=OP_T"),
        line(w, x, y, "transa=OP_T epilogue=EPILOGUE_DGELU_BGRAD"),
        line("type=R_16BF rows=1024 cols=2048 ld=1024 batchCount=4", x, y, "transa=OP_T"), std::string("Matmul] A=")})
    EXPECT_THROW((void)cublaslt_log_problem(text), Error) << text;
}

}  // namespace
}  // namespace gemmtune
