#include "gemmtune/dispatch/index/load_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view header = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
const TableSource a4w4_source{.path = "t_a4w4.csv", .family = {.format = Format::a4w4, .packed = true}};

TEST(LoadTables, ReadsRowsAndSaysWhichLinesServeNothing) {
  const auto text = std::string(header) +
                    "gfx950,256,1,512,4096,21,0,5.4,k1,0.78,194.5,0.0\r\n"
                    "\n"
                    "gfx950,256,x,512,4096,21,0,5.4,k2,0.78,194.5,0.0\n"
                    "gfx950,256,3,512,4096,21,0,5.4,k3\n"
                    "gfx950,256,4,512,4096,21,0,5.4,k4,0.78,194.5,0.0,more\n"
                    "gfx950,256,0,512,4096,21,0,5.4,k5,0.78,194.5,0.0\n"
                    "gfx950,256,6,512,4096,,,inf,,,,\n"
                    "gfx950,256.0, 128.0,512,4096,21,0,5.4,k7,0.78,194.5,0.0";
  std::vector<std::string> seen;
  const auto skipped = read_rows(text, a4w4_source, [&](const TunedRow& row, std::int64_t line) {
    seen.push_back(fmt::format("{} {} {}", line, to_string(row.problem), row.kernel_name));
  });
  EXPECT_THAT(seen, ElementsAre("2 1x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed k1",
                                "5 3x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed k3",
                                "8 6x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed ",
                                "9 128x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed k7"));
  ASSERT_EQ(skipped.size(), 3U);
  EXPECT_EQ(skipped[0].reason, "t_a4w4.csv:4:12: M: found 'x', expected a whole number above 0");
  EXPECT_EQ(skipped[1].reason, "t_a4w4.csv:6:50: found 'more' beyond the last column, errRatio");
  EXPECT_EQ(skipped[2].reason, "t_a4w4.csv:7:12: M: found '0', expected a whole number above 0");
}

TEST(LoadTables, AProfileIsRefusedSinceItsCandidatesNeedNotBeProven) {
  const auto text =
      "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio,outcome,reason,stage\n"
      "gfx950,256,1,512,4096,21,0,5.4,k1,0.78,194.5,0.0,ok,,screen\n";
  const auto use = [](const TunedRow&, std::int64_t) { FAIL() << "k1 would be served"; };
  EXPECT_THROW(read_rows(text, a4w4_source, use), Error);
}

TEST(LoadTables, ATableOfAnotherFamilyIsRefused) {
  const auto use = [](const TunedRow&, std::int64_t) {};
  const TableSource bf16{.path = "t.csv", .family = {.format = Format::a16w16}};
  EXPECT_THROW((void)read_rows(header, bf16, use), Error);
  EXPECT_THROW((void)read_rows("", a4w4_source, use), Error);
  EXPECT_THROW((void)read_rows("M,N,K\n1,2,3\n", a4w4_source, use), Error);
}

TEST(LoadTables, SeveralFilesMakeOneIndex) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto first = folder / "load_first_a4w4.csv", second = folder / "load_second_a4w4.csv";
  write_file_atomically(first,
                        std::string(header) + "gfx950,256,8,64,64,1,0,2,slow,,,\ngfx950,256,9,64,64,1,0,2,only,,,\n");
  write_file_atomically(second, std::string(header) + "gfx950,256,8,64,64,1,0,1,fast,,,\nbroken\n");
  const auto sources = std::vector{guess_source(first), guess_source(second)};
  const auto [index, notes] = load_tables(sources);
  EXPECT_EQ(index.key_count(), 2);
  const auto answer = index.lookup(a4w4(8, 64, 64), mi355);
  EXPECT_EQ(answer.choice->kernel_name, "fast");
  EXPECT_EQ(answer.choice->source, second.string());
  EXPECT_EQ(answer.runner_up->kernel_name, "slow");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("load_second_a4w4.csv: 1 lines cannot be used")));
  EXPECT_THAT(index.devices(), ElementsAre(TableDevice{"gfx950", 256, 3}));
}

TEST(TableSource, SplitsColonLists) {
  EXPECT_THAT(split_paths("a.csv: /b c.csv ::"), ElementsAre("a.csv", "/b c.csv"));
  EXPECT_TRUE(split_paths("").empty());
}

}  // namespace
}  // namespace gemmtune
