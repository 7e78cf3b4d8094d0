#include "gemmtune/report/kernel_csv.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

Readings read(const std::string& name, const std::string& text, const ReadingOptions& options = {}) {
  return read_kernel_csv(parse_csv(text, name), options);
}

constexpr auto aiter_profile = R"(cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio
256,1,512,4096,21,0,5.4,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,0.78,194.57,0.01
256,1,512,4096,0,0,-1,a4w4_blockscale_256x64,0,0,1.0
256,1,512,4096,1,0,inf,a4w4_blockscale_256x65,0,0,1.0
256,1,512,4096,2,0,0,a4w4_blockscale_256x66,0,0,0.0
256,x,512,4096,2,0,7,a4w4_blockscale_256x66,0,0,0.0
)";

TEST(KernelCsv, ReadsAitersProfile) {
  const auto readings = read("runs/a4w4_profile.csv", aiter_profile);
  ASSERT_EQ(readings.measurements.size(), 4U);
  const auto& m = readings.measurements;
  EXPECT_EQ(m[0].backend, "asm");
  EXPECT_EQ(m[0].time_us, 5.4);
  EXPECT_EQ(m[0].err_ratio, 0.01);
  EXPECT_EQ(m[0].where, "runs/a4w4_profile.csv:2");
  EXPECT_EQ(m[0].shape.problem, parse_problem("1x512x4096:a4w4"));
  EXPECT_EQ(to_string(m[0].shape.device), "?/256");
  EXPECT_EQ(m[1].outcome, Outcome::unsupported);
  EXPECT_EQ(m[1].reason, "us is -1.0: not supported, or it failed");
  EXPECT_EQ(m[2].outcome, Outcome::timed_out);
  EXPECT_EQ(m[3].outcome, Outcome::ok) << "0 is a placeholder: there is no time, and nothing failed";
  ASSERT_EQ(readings.notes.size(), 1U);
  EXPECT_EQ(readings.notes[0], "runs/a4w4_profile.csv:6:5: M: found 'x', expected a whole number above 0");
}

TEST(KernelCsv, ReadsOursWithOutcomeAndStage) {
  const auto readings =
      read("p_bf16.csv",
           "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,"
           "kernelName,err_ratio,tflops,bw,outcome,reason,stage\n"
           "sm90,132,8,16,32,False,torch.bfloat16,torch.bfloat16,False,False,cublaslt,1,0,5,k1,0,0,0,"
           "ok,,screen\n"
           "sm90,132,8,16,32,False,torch.bfloat16,torch.bfloat16,False,False,cublaslt,1,0,-1,k2,1,0,0,"
           "wrong_result,3 elements are wrong,confirm\n");
  ASSERT_EQ(readings.measurements.size(), 2U);
  EXPECT_TRUE(readings.measurements[0].screened_only);
  EXPECT_EQ(readings.measurements[0].backend, "cublaslt");
  EXPECT_TRUE(readings.measurements[0].shape.types_known);
  EXPECT_EQ(readings.measurements[1].outcome, Outcome::wrong_result);
  EXPECT_EQ(readings.measurements[1].reason, "3 elements are wrong");
  EXPECT_FALSE(readings.measurements[1].screened_only);
}

TEST(KernelCsv, WithoutAFormatOnlySizesAreKnown) {
  const std::string text = "cu_num,M,N,K,us,kernelName\n256,3,5,7,1,k\n";
  const auto readings = read("profile.csv", text);
  ASSERT_EQ(readings.measurements.size(), 1U) << "K is odd: the stand-in's types must allow it";
  EXPECT_FALSE(readings.measurements[0].shape.types_known);
  EXPECT_EQ(readings.measurements[0].shape.problem.k, 7);
  const auto chosen = read("profile.csv", "cu_num,M,N,K,us,kernelName\n256,3,5,64,1,k\n", {.format = Format::a4w4});
  EXPECT_TRUE(chosen.measurements[0].shape.types_known);
}

TEST(KernelCsv, IsToldByItsColumns) {
  EXPECT_TRUE(is_kernel_csv(parse_csv("m,n,k,US,kernelname\n")));
  EXPECT_FALSE(is_kernel_csv(parse_csv("M,N,K\n")));
  EXPECT_FALSE(is_kernel_csv(parse_csv("token,model_dim,us,kernelName1\n")));
}

}  // namespace
}  // namespace gemmtune
