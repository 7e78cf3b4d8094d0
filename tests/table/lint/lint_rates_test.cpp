#include <gtest/gtest.h>

#include "gemmtune/table/sheet/rates.h"
#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

std::string row(std::string_view us, std::string_view tflops, std::string_view bw) {
  return fmt::format("gfx950,256,1,512,4096,21,0,{},k,{},{},0.0\n", us, tflops, bw);
}

const std::string bf16_header = "cu_num,M,N,K,dtype,outdtype,us,tflops,bw\n";

TEST(LintRates, Contradictions) {
  const auto text = a4w4_header + row("5.4049", "0.78", "194.57") + row("5.4049", "0.88", "200.57");
  EXPECT_EQ(found("tflops-contradiction", text),
            Texts{"3:37 tflops is 0.88, but us and the sizes make it 0.78 (+13.4 %)"});
  EXPECT_EQ(found("bw-contradiction", text), Texts{"3:42 bw is 200.57, but us and the sizes make it 194.57 (+3.1 %)"});
}

TEST(LintRates, RoundedNumbersAgree) {
  const auto text = a4w4_header + row("5.4", "0.8", "194.7") + row("5.3", "0.8", "198.4");
  EXPECT_EQ(found("tflops-contradiction", text), Texts{});
  EXPECT_EQ(found("bw-contradiction", text), Texts{});
  EXPECT_EQ(found("bw-contradiction", a4w4_header + row("5.4", "0.8", "190.7")).size(), 1U);
}

TEST(LintRates, EachCellTellsHowFarItIsRounded) {
  const auto text = a4w4_header + row("5.4", "0.8", "193.5") + row("5.4049", "0.78", "194.57");
  EXPECT_EQ(found("bw-contradiction", text), Texts{}) << "5.4 may be 5.4350, whatever other rows write";
  EXPECT_EQ(found("tflops-contradiction", text), Texts{});
  EXPECT_EQ(
      found("bw-contradiction", a4w4_header + row("5.4000", "0.8", "193.5") + row("5.4049", "0.78", "194.57")).size(),
      1U);
}

TEST(LintRates, AnInt4IsHalfAByte) {
  const auto row = [](std::string_view weights, std::string_view bw) {
    return fmt::format(
        "256,1,1024,256,16,2,A,torch.bfloat16,torch.bfloat16,{},Q,1,0,16,0,5,a,0.0%,5,b,0.0%,10.0,0,0,0,"
        "0.31,{},\n",
        weights, bw);
  };
  // 2 bytes for each of 1·1024 inputs and outputs, and 16 experts of 3·256·1024 weights.
  EXPECT_EQ(found("bw-contradiction", moe_header + row("torch.int4", "629.56"), "tuned_fmoe.csv"), Texts{});
  EXPECT_EQ(found("bw-contradiction", moe_header + row("torch.int4", "1258.7"), "tuned_fmoe.csv").size(), 1U);
  EXPECT_EQ(found("bw-contradiction", moe_header + row("torch.float4_e2m1fn_x2", "1258.7"), "tuned_fmoe.csv"), Texts{});
}

TEST(LintRates, OutputsInF32CountAsTheyAreOrAsTwoBytes) {
  for (const auto* bw : {"417.92", "422.06"})
    EXPECT_EQ(found("bw-contradiction",
                    bf16_header + "256,64,256,5120,torch.bfloat16,torch.float32,7.9191,21.19," + bw + "\n", "bf16.csv"),
              Texts{})
        << bw;
  EXPECT_EQ(found("bw-contradiction", bf16_header + "256,64,256,5120,torch.bfloat16,torch.float32,7.9191,21.19,430\n",
                  "bf16.csv")
                .size(),
            1U);
}

TEST(LintRates, BatchesMultiply) {
  const std::string header = "cu_num,B,M,N,K,us,tflops,bw\n";
  EXPECT_EQ(found("tflops-contradiction", header + "304,16,32,1280,8192,68.9821,155.65,2511.92\n", "a8w8_batched.csv"),
            Texts{});
  EXPECT_EQ(found("tflops-contradiction", header + "304,16,32,1280,8192,68.9821,9.73,157\n", "a8w8_batched.csv").size(),
            1U);
}

TEST(LintRates, FusedMoe) {
  const auto row = [](std::string_view tflops) {
    return fmt::format("304,512,{}64,0,200,a,0.0%,158.6672,b,0.0%,358.6672,0,0,0,{},8000,\n", moe_key, tflops);
  };
  EXPECT_EQ(found("tflops-contradiction", moe_header + row("125.74"), "tuned_fmoe.csv"), Texts{});
  EXPECT_EQ(found("tflops-contradiction", moe_header + row("60.06"), "tuned_fmoe.csv").size(), 1U);
}

TEST(LintRates, MissingOnes) {
  const auto text = a4w4_header + row("5.4049", "0.0", "194.57") + row("5.4049", "0.78", "") + row("0", "0", "0") +
                    row("5.4049", "-1", "-1");
  EXPECT_EQ(found("rate-missing", text),
            (Texts{"2:37 tflops is '0.0', although us is 5.4049", "3:42 bw is '', although us is 5.4049",
                   "5:37 tflops is '-1', although us is 5.4049"}));
}

TEST(LintRates, ARateThatRoundsToZeroIsNotMissing) {
  EXPECT_EQ(found("rate-missing",
                  a4w4_header + "gfx950,256,1,32,256,21,0,5.4049,k,0.0,0.81,0.0\n" + row("5.4049", "0.78", "194.57")),
            Texts{});
}

TEST(Rates, AgreesWithinBothRoundings) {
  const Rounded time{.value = 10, .half_step = 0.5};
  EXPECT_TRUE(agrees({.value = 10, .half_step = 0.005}, 100, time));
  EXPECT_TRUE(agrees({.value = 9.53, .half_step = 0.005}, 100, time));
  EXPECT_FALSE(agrees({.value = 9.4, .half_step = 0.005}, 100, time));
  EXPECT_TRUE(agrees({.value = 10.52, .half_step = 0.005}, 100, time));
  EXPECT_FALSE(agrees({.value = 10.6, .half_step = 0.005}, 100, time));
  EXPECT_TRUE(agrees({.value = 1e9, .half_step = 0.5}, 100, {.value = 0.4, .half_step = 0.5}))
      << "a time that may be 0";
}

}  // namespace
}  // namespace gemmtune
