#include "gemmtune/table/guess_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using Header = std::vector<std::string>;

const Header sizes{"M", "N", "K"};
const Header bf16_columns{"M", "N", "K", "bias", "dtype", "outdtype", "scaleAB"};

struct Case {
  std::string name;
  Header header;
  std::optional<Format> format;
  std::string because;
};

class Guesses : public testing::TestWithParam<Case> {};

TEST_P(Guesses, ComeFromNameThenColumns) {
  const auto guess = guess_format(GetParam().name, GetParam().header);
  ASSERT_EQ(guess.has_value(), GetParam().format.has_value()) << GetParam().name;
  if (!guess) return;
  EXPECT_EQ(to_string(guess->format), to_string(*GetParam().format)) << GetParam().name;
  EXPECT_EQ(guess->because, GetParam().because);
}

INSTANTIATE_TEST_SUITE_P(
    GuessFormat, Guesses,
    testing::Values(
        Case{"a4w4_blockscale_untuned_gemm.csv", sizes, Format::a4w4, "its name has 'a4w4'"},
        Case{"a8w8_tuned_gemm_model_mxfp4_attnfp8.csv", sizes, Format::a8w8, "its name has 'a8w8'"},
        Case{"a16w4_untuned.csv", sizes, Format::a16w4, "its name has 'a16w4'"},
        Case{"gpt_oss_a8w4.csv", sizes, Format::a8w4, "its name has 'a8w4'"},
        Case{"a16w4_nvfp4_untuned.csv", sizes, Format::a16w4_nvfp4, "its name has 'a16w4_nvfp4'"},
        Case{"A8W4_NVFP4.csv", sizes, Format::a8w4_nvfp4, "its name has 'a8w4_nvfp4'"},
        Case{"llama_a8wq4.csv", sizes, Format::a8wq4, "its name has 'a8wq4'"},
        Case{"llama_a8wq8.csv", sizes, Format::a8wq8, "its name has 'a8wq8'"},
        Case{"deepseek_a16w8_blockscale.csv", sizes, Format::a16w8_blockscale, "its name has 'a16w8_blockscale'"},
        Case{"gpt_oss_a16w4_fp8.csv", sizes, Format::a16w4_fp8, "its name has 'a16w4_fp8'"},
        Case{"A16W8.csv", sizes, Format::a16w8, "its name has 'a16w8'"},
        Case{"minimax_mxfp8.csv", sizes, Format::mxfp8, "its name has 'mxfp8'"},
        Case{"a8w8_blockscale_model_mxfp8.csv", sizes, Format::a8w8_blockscale, "its name has 'a8w8'"},
        Case{"A4W4.CSV", sizes, Format::a4w4, "its name has 'a4w4'"},
        Case{"a8w8_untuned_gemm.csv", {"M", "N", "K", "q_dtype_w"}, Format::a8w8, "its name has 'a8w8'"},
        Case{"a8w8_blockscale_untuned_gemm.csv", sizes, Format::a8w8_blockscale, "its name has 'a8w8'"},
        Case{"a8w8_bpreshuffle_untuned_gemm.csv", sizes, Format::a8w8_bpreshuffle, "its name has 'a8w8'"},
        Case{"a8w8_untuned_batched_gemm.csv", {"B", "M", "N", "K"}, Format::batched_a8w8, "its name has 'a8w8'"},
        Case{"bf16_untuned_batched_gemm.csv", {"B", "M", "N", "K"}, Format::batched_a16w16, "its name has 'bf16'"},
        Case{"llama70B_untuned_gemm_bf16.csv", bf16_columns, Format::a16w16, "its name has 'bf16'"},
        Case{"qwen3_5_397b_untuned_gemm.csv", bf16_columns, Format::a16w16, "it has a column 'dtype'"},
        Case{"mine.csv", {"m", "n", "k", "q_dtype_w"}, Format::a8w8, "it has a column 'q_dtype_w'"},
        Case{"fp4_profile_shapes.csv", sizes, Format::a4w4, "its name has 'fp4'"},
        Case{"fp4_bf16_tuned.csv", bf16_columns, Format::a16w16, "its name has 'bf16'"},
        Case{"llama70B_untuned_gemm.csv", sizes, std::nullopt, ""},
        Case{"bf16_fmoe.csv", {"token", "model_dim", "dtype"}, std::nullopt, ""}));

TEST(GuessFormat, PreshuffledNamesMeanPackedWeights) {
  const auto guess = guess_format("a8w8_blockscale_bpreshuffle_untuned_gemm.csv", sizes);
  ASSERT_TRUE(guess);
  EXPECT_TRUE(defaults_of(*guess).packed);
  EXPECT_EQ(defaults_of(*guess).w.scaling, Scaling::block_128x128);
  EXPECT_FALSE(defaults_of(*guess_format("a8w8_blockscale_untuned_gemm.csv", sizes)).packed);
}

TEST(GuessFormat, LeavesAFormatsOwnPackingAlone) {
  for (const auto format : all_formats())
    EXPECT_EQ(defaults_of({.format = format}), format_defaults(format)) << to_string(format);
}

TEST(GuessFormat, ProblemsOfOneFormatSayIt) {
  const auto guessed = [](const std::string& rows) {
    const auto path = std::filesystem::path(testing::TempDir()) / "list_of_problems.csv";
    std::ofstream(path) << "M,N,K,problem\n" << rows;
    const auto guess = guess_format(path);
    std::filesystem::remove(path);
    return guess;
  };
  const auto guess = guessed("1,2,4,1x2x4:a4w4\n2,2,4,2x2x4:e2m1/1x32:e2m1/1x32:bf16:packed\n");
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->format, Format::a4w4);
  EXPECT_TRUE(guess->packed);
  EXPECT_EQ(guessed("1,2,4,1x2x4:bf16:bf16:bf16:nn:silu\n")->format, Format::a16w16);
  EXPECT_FALSE(guess->is_mixed);
  EXPECT_TRUE(guessed("1,2,4,1x2x4:a4w4\n2,2,4,2x2x4:a16w16\n")->is_mixed);
  EXPECT_TRUE(guessed("1,2,4,1x2x4:e4m3/row:int8/row:bf16\n")->is_mixed) << "none of AITER's formats";
  EXPECT_FALSE(guessed("1,2,4,nonsense\n"));
  EXPECT_FALSE(guessed(""));
}

TEST(GuessFormat, KernelsSayItWhereNothingElseDoes) {
  const auto guessed = [](const std::string& name, const std::string& kernels) {
    std::string text = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
    for (const auto kernel : split(kernels, ' ')) text += fmt::format("256,1,2,4,1,0,5.0,{},0,0,0\n", kernel);
    return guess_format(parse_csv(text, name));
  };
  for (const auto* kernel : {"_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E", "sm90_mxfp4_fp8_128x256x128",
                             "a4w4_blockscale_256x64x128x128_16x16_16x16 f4gemm_bf16"}) {
    const auto guess = guessed("tuned.csv", kernel);
    ASSERT_TRUE(guess) << kernel;
    EXPECT_EQ(guess->format, Format::a4w4) << kernel;
  }
  EXPECT_EQ(guessed("tuned.csv", "a8w8_blockscale_1x128x128_256x16x64x256")->format, Format::a8w8_blockscale);
  EXPECT_FALSE(guessed("tuned.csv", "a8w8_blockscale_x f4gemm_x")) << "two formats";
  EXPECT_FALSE(guessed("tuned.csv", "k"));
  EXPECT_EQ(guessed("a8w8_blockscale_tuned_gemm.csv", "f4gemm")->format, Format::a8w8_blockscale) << "its name says it";
}

}  // namespace
}  // namespace gemmtune
