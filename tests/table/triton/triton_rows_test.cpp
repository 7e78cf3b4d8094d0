#include "gemmtune/table/triton/triton_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/aiter_files.h"

namespace gemmtune {
namespace {

const TritonName fp4{.tag = "AFP4WFP4"};
constexpr std::string_view header = "gfx,cu_num,M,N,K,us,kernelName,BLOCK_SIZE_M,BLOCK_SIZE_N,num_warps\n";

TritonRows rows_of(const std::string& lines) {
  return triton_rows(parse_csv(std::string(header) + lines, "t.csv"), fp4);
}

TritonFiles files_of(const std::string& lines, TritonKeys keys = TritonKeys::bounds) {
  const auto rows = rows_of(lines);
  EXPECT_TRUE(rows.left_out.empty());
  return triton_files(rows.rows, keys);
}

/// Each entry as "key=first param's value".
std::vector<std::string> entries(const NamedTritonFile& named) {
  std::vector<std::string> texts;
  for (const auto& entry : named.file.entries) texts.push_back(entry.key + "=" + entry.params.at(0).value);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TritonRows, RowsSayWhereWhenAndWhat) {
  const auto read = rows_of(
      ",256,50,512,1024,3.5,auto,64,32,4\n"
      "gfx942,304,7,512,1024,inf,triton_bm16_bn32_w8,,,\n");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(triton_file_name(read.rows[0].name), "gfx950-GEMM-AFP4WFP4-N=512-K=1024.json");
  EXPECT_EQ(read.rows[0].m, 50);
  EXPECT_EQ(read.rows[0].time_us, 3.5);
  const std::vector<Param> columns{{"BLOCK_SIZE_M", "64"}, {"BLOCK_SIZE_N", "32"}, {"num_warps", "4"}};
  EXPECT_EQ(read.rows[0].params, columns);
  const std::vector<Param> name{{"BLOCK_SIZE_M", "16"}, {"BLOCK_SIZE_N", "32"}, {"num_warps", "8"}};
  EXPECT_EQ(read.rows[1].params, name);
  EXPECT_EQ(read.rows[1].time_us, 0);
}

TEST(TritonRows, ALineThatWasCutIsNoRow) {
  const auto read = rows_of("gfx950,256,50,512,1024,3.5,auto,64,32");
  EXPECT_TRUE(read.rows.empty());
  ASSERT_EQ(read.left_out.size(), 1U);
  EXPECT_EQ(read.left_out[0].reason, "9 cells, the header has 10: the line was cut, or a cell is missing");
}

TEST(TritonRows, TheFeaturesOfADeviceAreNoPartOfANameOfAFile) {
  const auto read = rows_of("gfx942:sramecc+:xnack-,304,50,512,1024,3.5,auto,64,32,4\n");
  EXPECT_EQ(triton_file_name(read.rows.at(0).name), "gfx942-GEMM-AFP4WFP4-N=512-K=1024.json");
}

TEST(TritonRows, RowsThatGoNowhereSayWhy) {
  const auto read = rows_of(
      "gfx950,256,50,512,1024,3.5,auto,,,\n"
      ",,50,512,1024,3.5,,64,32,\n"
      "gfx950,256,0,512,1024,3.5,,64,32,\n"
      "gfx950,256,x,512,1024,3.5,,64,32,\n"
      "gfx950,256,5,0,1024,3.5,,64,32,\n"
      "gfx950,256,5,,1024,3.5,,64,32,\n");
  EXPECT_TRUE(read.rows.empty());
  ASSERT_EQ(read.left_out.size(), 6U);
  EXPECT_EQ(read.left_out[0],
            (LeftOut{"t.csv:2:28", "its kernel 'auto' says no Triton parameters, and no columns do"}));
  EXPECT_EQ(read.left_out[2], (LeftOut{"t.csv:4:12", "M is 0"}));
  EXPECT_EQ(read.left_out[3], (LeftOut{"t.csv:5:12", "it has neither M nor bucket"}));
}

/// Cells name the files to be written. None of them may lie outside the folder.
TEST(TritonRows, NamesThatLeaveTheFolder) {
  const auto read = triton_rows(parse_csv("gfx,M,N,K,BLOCK_SIZE_M,BLOCK_SIZE_N,us,file\n"
                                          "../../escape/evil,16,64,64,16,32,1,\n"
                                          "/tmp/evil,16,64,64,16,32,1,\n"
                                          "gfx950,16,64,64,16,32,1,../../escape/gfx950-GEMM-A16W16\n"
                                          "gfx950,16,64,64,16,32,1,/tmp/gfx950-GEMM-A16W16.json\n"
                                          "gfx950,16,64,64,16,32,1,gfx950-GEMM-A16W16\n",
                                          "t.csv"),
                                {.tag = "A16W16"});
  ASSERT_EQ(read.left_out.size(), 4U);
  EXPECT_EQ(read.left_out[0].where, "t.csv:2:1");
  EXPECT_EQ(read.left_out[2].where, "t.csv:4:25");
  EXPECT_NE(read.left_out[2].reason.find("it would leave the folder"), std::string::npos);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(triton_file_name(read.rows[0].name), "gfx950-GEMM-A16W16.json");
}

/// A value that no reader of the file could read, and one that could end it.
TEST(TritonRows, HostileValues) {
  const auto rows_with = [](const std::string& value) {
    return triton_rows(
        parse_csv("gfx,M,N,K,BLOCK_SIZE_M,BLOCK_SIZE_N,us\ngfx950,16,64,64," + value + ",32,1\n", "t.csv"), {});
  };
  const auto too_large = rows_with("1e999");
  ASSERT_EQ(too_large.left_out.size(), 1U);
  EXPECT_EQ(too_large.left_out[0], (LeftOut{"t.csv:2:17", "BLOCK_SIZE_M is 1e999, which is too large for a number"}));
  for (const int levels : {29, 30, 31, 33, 100'000}) {
    const std::string value =
        std::string(static_cast<std::size_t>(levels), '[') + "1" + std::string(static_cast<std::size_t>(levels), ']');
    const auto rows = rows_with(value);
    ASSERT_EQ(rows.rows.size(), 1U) << levels;
    const auto files = triton_files(rows.rows, TritonKeys::bounds);
    const auto text = triton_json_text(files.files.at(0).file);
    EXPECT_EQ(parse_triton_json(text).entries, files.files.at(0).file.entries) << levels;
  }
}

TEST(TritonFiles, BucketsServeWithTheirLargestAndFastestRow) {
  const auto made = files_of(
      "gfx950,256,50,512,1024,3.5,,50,32,4\n"
      "gfx950,256,64,512,1024,0,,1,32,4\n"
      "gfx950,256,64,512,1024,9,,64,32,4\n"
      "gfx950,256,64,512,1024,8,,65,32,4\n"
      "gfx950,256,7,512,1024,1,,7,32,4\n");
  ASSERT_EQ(made.files.size(), 2U);
  EXPECT_EQ(triton_file_name(made.files[0].name), "gfx950-GEMM-AFP4WFP4.json");
  EXPECT_EQ(triton_file_name(made.files[1].name), "gfx950-GEMM-AFP4WFP4-N=512-K=1024.json");
  EXPECT_EQ(entries(made.files[1]), (Texts{"M_LEQ_8=7", "M_LEQ_64=65", "any=65"}));
  ASSERT_EQ(made.left_out.size(), 3U);
  EXPECT_EQ(made.left_out[0], (LeftOut{"t.csv:2:12", "M=50 shares M_LEQ_64 with M=64 of t.csv:3:12, which serves it"}));
}

TEST(TritonFiles, TheDefaultFileHoldsTheMostCommon) {
  const auto made = files_of(
      "gfx950,256,64,512,1024,1,,16,32,4\n"
      "gfx950,256,64,512,2048,1,,32,32,4\n"
      "gfx950,256,64,512,4096,1,,32,32,4\n"
      "gfx950,256,8,512,4096,1,,8,32,4\n");
  ASSERT_EQ(made.files.size(), 4U);
  EXPECT_EQ(entries(made.files[0]), (Texts{"M_LEQ_64=32", "any=32", "M_LEQ_8=8"}));
}

TEST(TritonFiles, RowsWithoutSizesGiveTheDefaultFile) {
  const auto made = files_of(
      "gfx950,256,64,512,1024,1,,16,32,4\n"
      "gfx950,256,64,,,1,,128,32,4\n");
  ASSERT_EQ(made.files.size(), 2U);
  EXPECT_EQ(entries(made.files[0]), (Texts{"M_LEQ_64=128", "any=128"}));
}

TEST(TritonFiles, TheOldKeys) {
  const auto made = files_of("gfx950,256,8,512,1024,1,,8,32,4\ngfx950,256,64,512,1024,1,,64,32,4\n", TritonKeys::sizes);
  EXPECT_EQ(entries(made.files[1]), (Texts{"small=8", "medium_M64=64", "any=64"}));
}

TEST(TritonCsv, EachEntryIsARowAndComesBack) {
  const auto file = parse_triton_json(R"({"_note": "x", "M_LEQ_8": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32,
    "cache_modifier": ".cg", "odd": [1]}, "M_LEQ_320": {"BLOCK_SIZE_M": 8, "BLOCK_SIZE_N": 8},
    "any": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 32, "cache_modifier": null}})",
                                      "n.json");
  const NamedTritonFile named{*parse_triton_name("gfx950-GEMM-A8W8-N=512-K=1024.json"), file};
  const auto csv = triton_csv({named});
  EXPECT_EQ(csv.text,
            "gfx,B,M,N,K,libtype,us,kernelName,file,bucket,BLOCK_SIZE_M,BLOCK_SIZE_N,cache_modifier,odd\n"
            "gfx950,,8,512,1024,triton,0,triton_bm16_bn32_cg,gfx950-GEMM-A8W8-N=512-K=1024.json,M_LEQ_8,16,32,.cg,[1]\n"
            "gfx950,,,512,1024,triton,0,triton_bm8_bn8,gfx950-GEMM-A8W8-N=512-K=1024.json,M_LEQ_320,8,8,,\n"
            "gfx950,,9,512,1024,triton,0,triton_bm64_bn32,gfx950-GEMM-A8W8-N=512-K=1024.json,any,64,32,None,\n");
  EXPECT_EQ(csv.left_out, (std::vector<LeftOut>{{"n.json", "_note is no configuration"}}));
  const auto rows = triton_rows(parse_csv(csv.text), {});
  EXPECT_TRUE(rows.left_out.empty());
  const auto back = triton_files(rows.rows, TritonKeys::bounds);
  ASSERT_EQ(back.files.size(), 2U);
  EXPECT_EQ(back.files[1].file.entries.size(), 3U);
}

using Configs = std::map<std::string, std::map<std::string, std::string>>;

Configs configs_of(const TritonFile& file) {
  Configs configs;
  for (const auto& entry : file.entries)
    for (const auto& [key, value] : entry.params) configs[entry.key][key] = value;
  return configs;
}

/// Every file of a checkout, through the CSV and back: the same configurations under the same keys.
TEST(TritonCsv, AiterFilesComeBackThroughTheCsv) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_TRITON");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_TRITON names no folder";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    const auto name = parse_triton_name(entry.path().filename().string());
    if (entry.path().extension() != ".json" || !name) continue;
    const NamedTritonFile named{*name, read_triton_json(entry.path())};
    const auto rows = triton_rows(parse_csv(triton_csv({named}).text, entry.path().string()), {});
    EXPECT_TRUE(rows.left_out.empty()) << rows.left_out.front().where << rows.left_out.front().reason;
    const auto back = triton_files(rows.rows, keys_of(named.file));
    ASSERT_FALSE(back.files.empty()) << entry;
    EXPECT_EQ(configs_of(back.files.back().file), configs_of(named.file)) << entry;
    EXPECT_TRUE(back.left_out.empty()) << entry;
  }
}

}  // namespace
}  // namespace gemmtune
