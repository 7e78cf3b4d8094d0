#include "gemmtune/exchange/hipblaslt_tuning.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(HipblasltTuning, WhatIsWrittenIsReadBack) {
  std::vector<LibraryChoice> choices;
  for (const auto* problem :
       {"16x1280x8192:bf16:bf16:bf16", "16x1280x8192:e4m3fnuz/row:e4m3fnuz/row:bf16:bias:gelu_tanh",
        "8x64x96:f16:f16:f32:batch=4:nn", "8x64x96:tf32:tf32:f32:residual"}) {
    EXPECT_EQ(why_no_hipblaslt(parse_problem(problem)), "");
    choices.push_back(
        {.problem = parse_problem(problem), .solution_index = 56537, .kernel_name = "Cijk_x", .time_us = 17.1});
  }
  const auto text = hipblaslt_tuning_text("8a41deb608", choices);
  const auto first = text.substr(0, text.find('\n'));
  EXPECT_EQ(first, "Git Version: 8a41deb608");
  EXPECT_EQ(tuning_file_of(first), AmdLibrary::hipblaslt);
  const auto back = read_library_tuning(text, "t.txt");
  EXPECT_EQ(back.git_version, "8a41deb608");
  EXPECT_TRUE(back.rejected.empty());
  ASSERT_EQ(back.choices.size(), choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    EXPECT_EQ(to_string(back.choices[i].problem), to_string(choices[i].problem));
    EXPECT_EQ(back.choices[i].solution_index, 56537);
    EXPECT_EQ(back.choices[i].kernel_name, "Cijk_x");
    EXPECT_DOUBLE_EQ(back.choices[i].time_us, 17.1);
  }
}

TEST(HipblasltTuning, RocblasHasOtherNames) {
  const std::string header =
      "transA,transB,M,N,batch_count,K,alpha,beta,lda,ldb,ldc,input_type,output_type,compute_type,solution_index";
  EXPECT_EQ(tuning_file_of(header), AmdLibrary::rocblas);
  const auto tuning =
      read_library_tuning(header + "\nT,N,1280,16,1,8192,1,0,8192,8192,1280,bf16_r,bf16_r,f32_r,-4190\n", "r.csv");
  ASSERT_EQ(tuning.choices.size(), 1U);
  EXPECT_EQ(to_string(tuning.choices[0].problem), "16x1280x8192:bf16:bf16:bf16");
  EXPECT_EQ(tuning.choices[0].solution_index, -4190);
  EXPECT_EQ(tuning.choices[0].time_us, 0);
}

TEST(HipblasltTuning, ACutLineIsRejected) {
  const auto tuning = read_library_tuning("Git Version: 1\ntransA,transB,m,n,k,solution_index\nT,N,1\n", "t.txt");
  ASSERT_EQ(tuning.rejected.size(), 1U);
  EXPECT_EQ(tuning.rejected[0].where, "t.txt:3:1");
  EXPECT_EQ(tuning.rejected[0].reason, "3 cells, the header has 6");
}

TEST(HipblasltTuning, WhatTheFileDoesNotSay) {
  for (const auto* problem : {"4x64x128:e4m3/1x128:e4m3/128x128:bf16", "4x64x64:e2m1/1x32:e2m1/1x32:bf16",
                              "4x64x64:bf16:bf16:bf16:gelu_erf", "4x64x64:bf16:bf16:bf16:packed"})
    EXPECT_NE(why_no_hipblaslt(parse_problem(problem)), "") << problem;
}

TEST(HipblasltTuning, OtherTablesAreNone) {
  EXPECT_FALSE(tuning_file_of("gfx,cu_num,M,N,K,kernelId"));
  EXPECT_FALSE(tuning_file_of("transA,transB,m,n,k"));
}

}  // namespace
}  // namespace gemmtune
