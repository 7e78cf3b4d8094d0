#include "gemmtune/table/triton/triton_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/table/triton/triton_params.h"
#include "gemmtune/table/triton/triton_tag.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const TritonName kernel{.device = "gfx942", .tag = "A8W8_BLOCKSCALE"};

TunedRow row(const std::string& problem, const std::string& name) {
  return {.gfx = "gfx942",
          .cu_num = 304,
          .problem = parse_problem(problem),
          .libtype = "triton",
          .time_us = 5,
          .kernel_name = name};
}

TunedTable table(std::vector<TunedRow> rows) {
  auto made = empty_table(Format::a8w8_blockscale);
  made.rows = std::move(rows);
  return made;
}

std::vector<std::string> keys(const TritonFile& file) {
  std::vector<std::string> all;
  for (const auto& entry : file.entries) all.push_back(entry.key);
  return all;
}

TEST(TritonTable, RowsStateWhatAFileNeeds) {
  auto other = row("64x1024x1024:a8w8_blockscale", "ck_something");
  other.libtype = "ck";
  const auto read = triton_rows(
      table({row("64x1024x2048:a8w8_blockscale", "triton_bm32_bn64_bk128_g8_w4_s3_k2_cg1_wpe2_kp2_mi16"), other}),
      kernel);
  ASSERT_THAT(read.rows, SizeIs(1));
  EXPECT_EQ(triton_file_name(read.rows.front().name), "gfx942-GEMM-A8W8_BLOCKSCALE-N=1024-K=2048.json");
  EXPECT_EQ(read.rows.front().m, 64);
  EXPECT_EQ(candidate_of_params(read.rows.front().params), "triton_bm32_bn64_bk128_g8_w4_s3_k2_cg1_wpe2_kp2_mi16");
}

TEST(TritonTable, KernelsThatNoFileStatesAreLeftOut) {
  const auto read =
      triton_rows(table({row("64x1024x1024:a8w8_blockscale", "triton_bm32_bn64_bk128_g8_w4_s3_k1_p1_t1")}), kernel);
  EXPECT_THAT(read.rows, SizeIs(0));
  ASSERT_THAT(read.left_out, SizeIs(1));
  EXPECT_THAT(read.left_out.front().reason, HasSubstr("p1 and t1"));
  EXPECT_THAT(parts_beyond_files("sm90_mxfp4_fp8_128x256x128_s4_c2_p128"), SizeIs(0)) << "no Triton kernel";
}

TEST(TritonTable, NamesOfFilesReadBack) {
  EXPECT_EQ(triton_device("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(triton_device("x86-64-avx2"), "x86_64_avx2");
}

TEST(TritonTable, ACandidateNeedsItsTile) {
  EXPECT_EQ(candidate_of_params({{"BLOCK_SIZE_M", "64"}, {"BLOCK_SIZE_N", "64"}}), "");
  EXPECT_EQ(candidate_of_params({{"BLOCK_SIZE_M", "64"}, {"BLOCK_SIZE_N", "64"}, {"BLOCK_SIZE_K", "\"x\""}}), "");
  EXPECT_EQ(candidate_of_params({{"BLOCK_SIZE_M", "64"}, {"BLOCK_SIZE_N", "64"}, {"BLOCK_SIZE_K", "128"}}),
            "triton_bm64_bn64_bk128_g1_w4_s2_k1");
}

TEST(TritonTable, MergingKeepsWhatWasNotMade) {
  const auto present = parse_triton_json(R"({"small": {"a": 1}, "xlarge": {"a": 2}, "any": {"a": 3}})");
  const auto made = parse_triton_json(R"({"small": {"a": 4}, "large": {"a": 5}, "any": {"a": 5}})");
  const auto both = merged(present, made);
  EXPECT_THAT(keys(both), ElementsAre("small", "xlarge", "large", "any"));
  EXPECT_EQ(both.entries.front().params.front().value, "4");
  EXPECT_EQ(both.entries.back().params.front().value, "3") << "it may stand for what xlarge was tuned with";
  EXPECT_EQ(
      merged(parse_triton_json(R"({"small": {"a": 1}, "any": {"a": 3}})"), made).entries.back().params.front().value,
      "5");
  EXPECT_THROW(merged(parse_triton_json(R"({"M_LEQ_4": {}})"), made), Error);
}

TEST(TritonTable, TheFileOfNAndKComesBeforeTheDefaultFile) {
  auto special = kernel;
  special.sizes = {{"N", 1024}, {"K", 2048}};
  const std::vector<NamedTritonFile> files{
      {kernel, parse_triton_json(R"({"any": {"BLOCK_SIZE_M": 16}})")},
      {special, parse_triton_json(R"({"small": {"BLOCK_SIZE_M": 32}, "any": {"BLOCK_SIZE_M": 64}})")}};
  const auto m_of = [&](const char* problem) {
    return known_params(files, kernel, parse_problem(problem))->front().value;
  };
  EXPECT_EQ(m_of("8x1024x2048:a8w8_blockscale"), "32");
  EXPECT_EQ(m_of("512x1024x2048:a8w8_blockscale"), "64");
  EXPECT_EQ(m_of("8x1024x4096:a8w8_blockscale"), "16");
  EXPECT_FALSE(known_params({}, kernel, parse_problem("8x1024x4096:a8w8_blockscale")));
}

TEST(TritonTable, EachFormatHasItsTag) {
  EXPECT_EQ(triton_kernel_of(Format::a4w4, true).tag, "AFP4WFP4_PRESHUFFLED");
  EXPECT_EQ(triton_kernel_of(Format::a8w8_blockscale, false).tag, "A8W8_BLOCKSCALE");
  EXPECT_EQ(triton_kernel_of(Format::batched_a8w8, false).kernel, "BATCHED_GEMM");
}

}  // namespace
}  // namespace gemmtune
