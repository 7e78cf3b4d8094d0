#include "gemmtune/dispatch/moe_lookup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

const std::string header =
    "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1,"
    "block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,tflops,bw,_tag\n";

std::string row(int token, const std::string& activation, const std::string& kernel, double us,
                const std::string& error = "0.0%", const std::string& tag = "") {
  return "256," + std::to_string(token) + ",7168,256,257,9,ActivationType." + activation +
         ",torch.bfloat16,torch.float8_e4m3fn,torch.float8_e4m3fn,QuantType.per_1x128,1,0,64,0,1.0," + kernel + "," +
         error + ",1.0,second,0.0%," + std::to_string(us) + ",0,1.0,1.0," + tag + "\n";
}

std::string asked(int token, const std::string& activation = "Silu") {
  return "fmoe:token=" + std::to_string(token) +
         ":model_dim=7168:inter_dim=256:expert=257:topk=9:act_type=" + activation +
         ":dtype=bf16:q_dtype_a=torch.float8_e4m3fn:q_dtype_w=torch.float8_e4m3fn:q_type=per_1x128:"
         "use_g1u1=True:doweight_stage1=0";
}

class MoeLookup : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string kernel_for(const std::string& rows, const std::string& question, const std::string& gfx = "gfx950") {
    write_file_atomically(path_, header + rows);
    auto parsed = parse_moe_question(question);
    parsed.gfx = gfx;
    parsed.cu_num = 256;
    const auto answer = MoeTables(std::vector{path_}).lookup(parsed);
    return answer ? answer->kernel1 : "none";
  }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("moe_" + std::to_string(::getpid()) + ".csv");
};

TEST_F(MoeLookup, TokensGoToTheNextPowerOfTwoThenToTiers) {
  using Tokens = std::vector<std::int64_t>;
  EXPECT_EQ(moe_tokens_tried(1), (Tokens{1}));
  EXPECT_EQ(moe_tokens_tried(100), (Tokens{128}));
  EXPECT_EQ(moe_tokens_tried(128), (Tokens{128}));
  EXPECT_EQ(moe_tokens_tried(20000), (Tokens{32768}));
  EXPECT_EQ(moe_tokens_tried(32769), (Tokens{32768}));
  EXPECT_EQ(moe_tokens_tried(131071), (Tokens{32768}));
  EXPECT_EQ(moe_tokens_tried(200000), (Tokens{131072, 32768}));
}

TEST_F(MoeLookup, TheRowOfThePaddedTokensAnswers) {
  const auto rows = row(128, "Silu", "k128", 5) + row(64, "Silu", "k64", 1);
  EXPECT_EQ(kernel_for(rows, asked(100)), "k128");
  EXPECT_EQ(kernel_for(rows, asked(64)), "k64");
  EXPECT_EQ(kernel_for(rows, asked(65, "ActivationType.Silu")), "k128");
  EXPECT_EQ(kernel_for(rows, asked(129)), "none");
  EXPECT_EQ(kernel_for(rows, asked(100), "gfx942"), "none") << "256 units are a gfx950";
}

TEST_F(MoeLookup, TheTopTierFallsBackToTheOneBelow) {
  EXPECT_EQ(kernel_for(row(32768, "Silu", "k32k", 5), asked(500000)), "k32k");
  EXPECT_EQ(kernel_for(row(32768, "Silu", "k32k", 5) + row(131072, "Silu", "k128k", 9), asked(500000)), "k128k");
}

TEST_F(MoeLookup, AnotherActivationServesIfNoneOfItsOwnDoes) {
  const auto gelu = row(16, "Gelu", "gelu", 5);
  EXPECT_EQ(kernel_for(gelu, asked(16)), "gelu");
  EXPECT_EQ(kernel_for(gelu + row(16, "Silu", "silu", 50), asked(16)), "silu");
}

TEST_F(MoeLookup, TheFastestRightRowIsServed) {
  const auto good = row(16, "Silu", "good", 5);
  EXPECT_EQ(kernel_for(row(16, "Silu", "slow", 9) + good, asked(16)), "good");
  EXPECT_EQ(kernel_for(row(16, "Silu", "wrong", 1, "30%") + good, asked(16)), "good");
  EXPECT_EQ(kernel_for(row(16, "Silu", "nan", 1, "nan") + good, asked(16)), "good");
  EXPECT_EQ(kernel_for(row(16, "Silu", "tagged", 1, "0%", "flydsl_fallback") + good, asked(16)), "good");
}

TEST_F(MoeLookup, QuestionsSayWhatTheyLack) {
  const auto complaint = [](const std::string& text) {
    try {
      (void)parse_moe_question(text);
      return std::string("none");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(complaint(asked(16)), "none");
  EXPECT_EQ(complaint("fmoe:token=16"), "'fmoe:token=16': there is no model_dim");
  EXPECT_EQ(complaint("fmoe:tokens=16").find("'fmoe:tokens=16': found 'tokens=16', expected KEY=VALUE"), 0U);
  EXPECT_NE(complaint(asked(0)).find("token: expected a whole number above 0"), std::string::npos);
}

TEST_F(MoeLookup, OtherTablesAreRefused) {
  write_file_atomically(path_, "M,N,K\n");
  EXPECT_THROW(MoeTables(std::vector{path_}), Error);
}

}  // namespace
}  // namespace gemmtune
