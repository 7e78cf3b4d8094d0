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
                                "8 6x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed ",
                                "9 128x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed k7"));
  ASSERT_EQ(skipped.size(), 4U);
  EXPECT_EQ(skipped[0].reason, "t_a4w4.csv:4:12: M: found 'x', expected a whole number above 0");
  EXPECT_EQ(skipped[1].reason, "t_a4w4.csv:5:32: 9 cells, the header has 12: the line was cut, or a cell is missing");
  EXPECT_EQ(skipped[2].reason, "t_a4w4.csv:6:50: found 'more' beyond the last column, errRatio");
  EXPECT_EQ(skipped[3].reason, "t_a4w4.csv:7:12: M: found '0', expected a whole number above 0");
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

/// Such a table may be named as one of a single format, in a variable for example.
TEST(LoadTables, ATableThatStatesItsProblemsServesAllOfThem) {
  const auto path = std::filesystem::path(testing::TempDir()) / "load_tables_stated.csv";
  const std::string batched = "16x64x64:bf16:bf16:bf16:batch=3", packed = "16x64x64:a4w4";
  std::string text =
      "gfx,cu_num,B,M,N,K,layout,epilogue,problem,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  for (const auto& [batch, problem] : {std::pair("3", batched), std::pair("1", to_string(parse_problem(packed)))})
    text += fmt::format("sm90,132,{},16,64,64,,,{},cublaslt,-1,0,5,k,1,1,0\n", batch, problem);
  write_file_atomically(path, text);
  const std::vector<TableSource> sources{{.path = path, .family = {.format = Format::a16w16}}};
  const auto loaded = load_tables(sources);
  for (const auto& problem : {batched, packed})
    EXPECT_EQ(loaded.index.lookup(parse_problem(problem), device_key("sm90", 132)).match, MatchKind::exact) << problem;
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

/// What a lookup finds in one file of this name on a device.
class OneFile {
 public:
  OneFile(const std::string& name, const std::string& text, const std::string& gfx, std::int64_t cu_num)
      : path_(std::filesystem::path(testing::TempDir()) / name), device_(device_key(gfx, cu_num)) {
    write_file_atomically(path_, text);
    index_ = load_tables(std::vector{guess_source(path_)}, {.rules = {}, .live_gfx = gfx}).index;
    std::filesystem::remove(path_);
  }

  std::string found(const std::string& problem) const {
    const auto answer = index_.lookup(parse_problem(problem), device_);
    if (answer.match == MatchKind::fallback) return "fallback";
    return fmt::format("{} {} {}", to_string(answer.match), answer.choice->kernel_name, answer.expected_us);
  }

 private:
  std::filesystem::path path_;
  DeviceKey device_;
  TableIndex index_;
};

TEST(LoadTables, AllGenerationsServe) {
  const OneFile int8("a8w8_tuned_gemm.csv", "cu_num,M,N,K,kernelId,splitK,us,kernelName\n256,1,64,512,3,0,8.7,k\n",
                     "gfx950", 256);
  EXPECT_EQ(int8.found("1x64x512:a8w8"), "exact k 8.7");
  const OneFile bf16("bf16_tuned_gemm.csv",
                     "M,N,K,bias,dtype,outdtype,scaleAB,cu_num,libtype,solidx,splitK,soltimes,kernelName\n"
                     "64,256,512,False,torch.bfloat16,torch.float32,False,80,asm,1,10,8.3,k\n",
                     "gfx942", 80);
  EXPECT_EQ(bf16.found("64x256x512:bf16:bf16:f32"), "exact k 8.3");
  const std::string packed = "cu_num,M,N,K,kernelId,splitK,us,kernelName\n80,1,64,512,5,0,9,k\n";
  const OneFile fp8("a8w8_bpreshuffle_tuned_gemm.csv", packed, "gfx942", 80);
  EXPECT_EQ(fp8.found("1x64x512:e4m3fnuz/row:e4m3fnuz/row:bf16:packed"), "exact k 9");
  EXPECT_EQ(fp8.found("1x64x512:a8w8_bpreshuffle"), "exact k 9") << "the format's FP8 is the device's";
  EXPECT_EQ(fp8.found("1x64x512:i8/row:i8/row:bf16:packed"), "fallback");
}

TEST(LoadTables, TablesWithoutCuNumAreForAnyNumberOfUnits) {
  const std::string text = "B,M,N,K,kernelId,splitK,us,kernelName\n16,1,64,512,33,0,36.2,k\n";
  for (const std::int64_t cu_num : {80, 304, 1})
    EXPECT_EQ(OneFile("a8w8_tuned_batched_gemm.csv", text, "gfx942", cu_num).found("1x64x512:batched_a8w8:batch=16"),
              "exact k 36.2")
        << cu_num;
  EXPECT_EQ(OneFile("a8w8_tuned_batched_gemm.csv", text, "x86-64-avx2", 2).found("1x64x512:batched_a8w8:batch=16"),
            "fallback")
      << "AITER's rows are of AMD's devices";
  const std::string packed = "M,N,K,kernelId,splitK,us,kernelName\n1,64,512,11,0,13.2,k\n";
  for (const auto* gfx : {"gfx942", "gfx950"})
    EXPECT_EQ(OneFile("a8w8_bpreshuffle_tuned_gemm.csv", packed, gfx, 9).found("1x64x512:a8w8_bpreshuffle"),
              "exact k 13.2")
        << gfx;
}

TEST(LoadTables, TheBlockScaledBmmPadsM) {
  const OneFile bmm("batched_gemm_a8w8_blockscale_mxscale_tuned.csv",
                    "gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName\n"
                    "gfx950,2,16,1024,4096,opus,1,1,7.8,k16\ngfx950,2,64,1024,4096,opus,1,1,9.8,k64\n",
                    "gfx950", 256);
  EXPECT_EQ(bmm.found("16x1024x4096:e4m3/1x128:e4m3/128x128:bf16:batch=2"), "exact k16 7.8");
  EXPECT_EQ(bmm.found("9x1024x4096:e4m3/1x128:e4m3/128x128:bf16:batch=2"), "padded_fine k16 7.8");
  EXPECT_EQ(bmm.found("40x1024x4096:e4m3/1x128:e4m3/128x128:bf16:batch=2"), "padded_coarse k64 9.8");
  EXPECT_EQ(bmm.found("16x1024x4096:e4m3/1x128:e4m3/128x128:bf16:batch=3"), "fallback");
}

TEST(LoadTables, AKernelWhoseResultsWereNotComparedNeverWins) {
  for (const auto* ratio : {"nan", "-1"}) {
    const OneFile table("a8w8_blockscale_tuned_gemm.csv",
                        std::string("gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                                    "gfx950,256,16,64,512,ck,1,0,11.5,good,1,1,0.0\n"
                                    "gfx950,256,16,64,512,ck,2,0,10.0,bad,1,1,") +
                            ratio + "\n",
                        "gfx950", 256);
    EXPECT_EQ(table.found("16x64x512:a8w8_blockscale"), "exact good 11.5") << ratio;
  }
}

TEST(LoadTables, ACutLastLineServesNothing) {
  const OneFile table("a8w8_blockscale_tuned_gemm.csv",
                      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                      "gfx950,256,1,64,512,ck,8,2,9.5,good,1,1,0.0\ngfx950,256,1,64,512,ck,8,2,1.25,bad,1,1",
                      "gfx950", 256);
  EXPECT_EQ(table.found("1x64x512:a8w8_blockscale"), "exact good 9.5");
}

TEST(LoadTables, TheFeaturesOfADeviceDoNotCount) {
  const std::string text = "gfx,cu_num,M,N,K,q_dtype_w,us,kernelName\n";
  const auto* asked = "16x64x512:a8w8";
  EXPECT_EQ(OneFile("a8w8_tuned.csv", text + "gfx942,304,16,64,512,torch.int8,8,k\n", "gfx942:sramecc+:xnack-", 304)
                .found(asked),
            "exact k 8");
  EXPECT_EQ(
      OneFile("a8w8_tuned.csv", text + "gfx942:xnack-,304,16,64,512,torch.int8,8,k\n", "gfx942", 304).found(asked),
      "exact k 8");
}

TEST(LoadTables, RowsOfBatchOneServe) {
  const OneFile table("bf16_tuned_batched_gemm.csv",
                      "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName\ngfx942,304,1,16,512,128,0,0,5,k\n", "gfx942",
                      304);
  EXPECT_EQ(table.found("16x512x128:batched_a16w16"), "exact k 5");
  EXPECT_EQ(table.found("15x512x128:batched_a16w16"), "fallback") << "batched tables do not pad M";
}

TEST(TableSource, SplitsColonLists) {
  EXPECT_THAT(split_paths("a.csv: /b c.csv ::"), ElementsAre("a.csv", "/b c.csv"));
  EXPECT_TRUE(split_paths("").empty());
}

}  // namespace
}  // namespace gemmtune
