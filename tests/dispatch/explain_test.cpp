#include "gemmtune/dispatch/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

TunedRow named(const Problem& problem, double time_us, const std::string& kernel) {
  auto row = row_of(problem, time_us);
  row.kernel_name = kernel;
  row.libtype = "asm";
  return row;
}

TEST(Explain, NamesEachLevelTriedAndTheRow) {
  const auto index = index_of({named(a4w4(128, 512, 512), 12.25, "slower"), named(a4w4(128, 512, 512), 9, "k128")});
  EXPECT_THAT(explain(index, a4w4(100, 512, 512), {"gfx950", 256}),
              ElementsAre("exact          M = 100: no row",  //
                          "padded_fine    M = 112: no row",  //
                          "padded_coarse  M = 128: invented.csv:3: asm k128, 9 us",
                          "runner-up      invented.csv:2: asm slower, 12.25 us"));
}

TEST(Explain, TheNearestRowAndItsScaledTime) {
  const auto index = index_of({named(a4w4(100, 512, 512), 10, "k100")});
  EXPECT_THAT(explain(index, a4w4(150, 512, 512), {"gfx950", 256}),
              ElementsAre("exact          M = 150: no row",  //
                          "padded_fine    M = 160: no row",  //
                          "padded_coarse  M = 256: no row",
                          "nearest        within a factor of 2, M = 100: invented.csv:2: asm k100, 10 us",
                          "expected       15 us: the row's time for M = 150"));
}

TEST(Explain, ADeviceThatNobodyTunedFor) {
  const auto index = index_of({named(a4w4(100, 512, 512), 10, "k100")});
  const auto lines = explain(index, a4w4(100, 512, 512), {"gfx950", 128});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[4], "fallback       rule: assembly kernels for MXFP4: asm, no time");
  EXPECT_EQ(lines[5], "note           no table has a row for gfx950/128; there are: gfx950/256 (1 rows)");
}

TEST(Explain, BatchesAndProblemsOfNoKernel) {
  const auto lines = explain(TableIndex(), parse_problem("8x64x64:int8:int8:bf16:batch=2"), {"gfx942", 80});
  EXPECT_EQ(lines[1], "padded_fine    not for batches");
  EXPECT_EQ(lines[4], "fallback       no rule knows a kernel for this");
}

TEST(AnswerText, OneLineForEachKindOfAnswer) {
  auto row = named(a4w4(128, 512, 512), 12.25, "k");
  row.split_k = 2;
  const auto index = index_of({row});
  EXPECT_EQ(answer_text(index.lookup(a4w4(100, 512, 512), mi355)),
            "padded_coarse: asm k, splitK 2, 12.25 us (tuned for M = 128, invented.csv:2)");
  EXPECT_EQ(answer_text(index.lookup(a4w4(1, 512, 512), mi355)), "fallback: asm (rule: assembly kernels for MXFP4)");
  EXPECT_EQ(answer_text(Answer{}), "fallback: no row, and no rule knows a kernel");
}

}  // namespace
}  // namespace gemmtune
