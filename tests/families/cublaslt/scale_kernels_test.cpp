#include "gemmtune/families/cublaslt/scale_kernels.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune::cublaslt {
namespace {

class CublasltKernels : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_cublaslt_kernels"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  std::unique_ptr<KernelCompiler> compiler_;
};

TEST_F(CublasltKernels, ScalesAreArrangedByCodeThatCompiles) {
  EXPECT_FALSE(compiler_->compile(arranger_source("sm90a")).empty());
}

TEST_F(CublasltKernels, ProductsAreScaledByCodeThatCompiles) {
  for (const char* scales : {"int8:int8", "int8/row:int8/row", "int8/tensor:int8/row", "int8/row:int8/tensor"})
    for (const char* out : {"bf16", "fp16", "f32", "bf16:bias", "fp16:bias", "f32:bias"}) {
      const auto problem = parse_problem(fmt::format("4x4x4:{}:{}", scales, out));
      EXPECT_FALSE(compiler_->compile(scaler_source(problem, DType::i32, "sm90a")).empty()) << to_string(problem);
    }
}

TEST_F(CublasltKernels, ProductsInFloatAreRoundedByCodeThatCompiles) {
  for (const char* rest : {"fp16", "fp16:bias"}) {
    const auto problem = parse_problem(fmt::format("4x4x4:bf16:bf16:{}", rest));
    EXPECT_FALSE(compiler_->compile(scaler_source(problem, DType::f32, "sm90a")).empty()) << to_string(problem);
  }
}

}  // namespace
}  // namespace gemmtune::cublaslt
