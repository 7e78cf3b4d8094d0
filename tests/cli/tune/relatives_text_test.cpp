#include "gemmtune/cli/tune/relatives_text.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(RelativesText, NamesTheFirstFailureAndTheCommandThatStressesTheWinner) {
  ShapeResult result{.shape = {.problem = parse_problem("16x2112x7168:a4w4:packed")},
                     .winner = Evaluation{.candidate = {.family = "mxfp4_fused", .name = "mxfp4_fused_n16_r3_c8_s8"}}};
  EXPECT_EQ(relatives_text(result), "");
  for (const char* name : {"mxfp4_fused_n16_r3_c8_s7", "mxfp4_fused_n16_r3_c8_s10"})
    result.failures.push_back({.candidate = {.family = "mxfp4_fused", .name = name},
                               .outcome = Outcome::crashed,
                               .reason = "unspecified launch failure"});
  EXPECT_EQ(relatives_text(result),
            "16x2112x7168:e2m1/1x32:e2m1/1x32:bf16:packed: 2 candidates of the winner's family mxfp4_fused crashed, "
            "hung or could not be launched, the first mxfp4_fused_n16_r3_c8_s7: unspecified launch failure; the winner "
            "mxfp4_fused_n16_r3_c8_s8 shares their code and may fail too, seldom: try gemmtune stress --problem "
            "16x2112x7168:e2m1/1x32:e2m1/1x32:bf16:packed --candidate mxfp4_fused_n16_r3_c8_s8 --launches 10000");
}

}  // namespace
}  // namespace gemmtune
