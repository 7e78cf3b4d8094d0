#include "gemmtune/bench/table_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

constexpr const char* table_text =
    "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"
    "x86-64-avx2,8,64,4096,512,False,torch.bfloat16,torch.bfloat16,False,False,toy,3,2,12.5,toy_1,0.0,1,1\n"
    "x86-64-avx2,8,64,4096,512,False,torch.bfloat16,torch.bfloat16,False,False,toy,3,2,99,toy_2,0.0,1,1\n"
    "gfx950,256,32,4096,512,False,torch.bfloat16,torch.bfloat16,False,False,asm,3,0,1,asm_1,0.0,1,1\n"
    "x86-64-avx2,8,16,128,512,False,torch.bfloat16,torch.bfloat16,False,False,,-1,0,5,other_9,0.0,1,1\n";

class TableChoices : public testing::Test {
 protected:
  TableChoices() {
    write_file_atomically(source_.path, table_text);
    index_ = load_tables(std::span(&source_, 1), {.live_gfx = device_.arch}).index;
  }

  Contender served(const std::string& problem) {
    return served_contender(index_, parse_problem(problem), device_, offered(world_.evaluator, parse_problem(problem)));
  }

  TemporaryFolder folder_;
  TableSource source_{.path = folder_.path() / "bf16_tuned_gemm.csv", .family = {.format = Format::a16w16}};
  DeviceInfo device_{invented_context().device};
  TableIndex index_;
  BenchWorld world_{{{"toy_0", 30}, {"onednn_0", 5}, {"onednn_1", 4}}};
};

TEST_F(TableChoices, ARowServesItsOwnShape) {
  const auto contender = served("64x4096x512:a16w16");
  EXPECT_EQ(contender.label, "table");
  EXPECT_EQ(contender.candidate, (Candidate{.family = "toy", .name = "toy_1"}));
  EXPECT_THAT(contender.origin, EndsWith("bf16_tuned_gemm.csv:2"));
  ASSERT_TRUE(contender.served);
  EXPECT_EQ(contender.served->match, MatchKind::exact);
  EXPECT_EQ(contender.served->expected_us, 12.5);
  EXPECT_EQ(contender.served->split_k, 2);
  EXPECT_EQ(contender.served->kernel_id, 3);
}

TEST_F(TableChoices, ARowServesSmallerShapesToo) {
  const auto contender = served("60x4096x512:a16w16");
  EXPECT_EQ(contender.candidate.name, "toy_1");
  EXPECT_EQ(contender.served->match, MatchKind::padded_fine);
  EXPECT_EQ(contender.served->tuned_m, 64);
  EXPECT_TRUE(contender.origin.starts_with("padded_fine from M 64, ")) << contender.origin;
}

TEST_F(TableChoices, ANameTellsTheFamilyWhereTheTableDoesNot) {
  const auto contender = served("16x128x512:a16w16");
  EXPECT_EQ(contender.candidate, (Candidate{.family = "other", .name = "other_9"}));
}

TEST_F(TableChoices, ARuleStandsForTheFamilysDefault) {
  const auto contender = served("16x99x512:a16w16");
  EXPECT_EQ(contender.candidate.name, "onednn_0");
  EXPECT_EQ(contender.served->match, MatchKind::fallback);
  EXPECT_EQ(contender.origin, "fallback, rule: oneDNN, its own heuristic");
  world_.fake.candidates.resize(1);
  const auto none = served("16x99x512:a16w16");
  EXPECT_EQ(none.candidate.name, "");
  EXPECT_EQ(none.why_none, "the table leaves the choice to onednn, which has no kernel on this device");
}

TEST_F(TableChoices, WhereNothingIsKnownThereIsNoKernel) {
  EXPECT_EQ(served("16x99x512:a8w8").why_none,
            "no row of the table serves this problem, and no fallback rule names a kernel");
}

TEST_F(TableChoices, TheShapesOfATableAreThoseOfThisDevice) {
  EXPECT_THAT(problems_of(source_, device_),
              ElementsAre(parse_problem("64x4096x512:a16w16"), parse_problem("16x128x512:a16w16")));
}

}  // namespace
}  // namespace gemmtune
