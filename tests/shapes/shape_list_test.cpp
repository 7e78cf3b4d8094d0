#include "gemmtune/shapes/shape_list.h"

#include <gtest/gtest.h>

#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

const std::filesystem::path data = std::filesystem::path(GEMMTUNE_TEST_DATA) / "shapes";

ShapeList read(std::string_view text, Format format = Format::a16w16) {
  return read_shapes(parse_csv(text, "s.csv"), format_defaults(format));
}

std::vector<std::string> problems(const ShapeList& list) {
  std::vector<std::string> texts;
  for (const auto& shape : list.shapes) texts.push_back(to_string(shape.problem));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ShapeList, ReadsTheKeyColumnsOfEachFormat) {
  EXPECT_EQ(problems(read("M,N,K\n16,64,128\n", Format::a4w4)), Texts{"16x64x128:e2m1/1x32:e2m1/1x32:bf16:packed"});
  EXPECT_EQ(
      problems(read("M,N,K,q_dtype_w\n1,2,3,torch.int8\n1,2,3,torch.float8_e4m3fn\n1,2,3,torch.float8_e4m3fnuz\n",
                    Format::a8w8)),
      (Texts{"1x2x3:int8/row:int8/row:bf16", "1x2x3:e4m3/row:e4m3/row:bf16", "1x2x3:e4m3fnuz/row:e4m3fnuz/row:bf16"}));
  EXPECT_EQ(problems(read("B,M,N,K\n4,1,2,3\n", Format::batched_a16w16)), Texts{"1x2x3:bf16:bf16:bf16:batch=4"});
  EXPECT_EQ(problems(read("M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
                          "1,2,3,TRUE,torch.float16,torch.float32,False,True\n"
                          "1,2,3,false,torch.float8_e4m3fn,dtypes.bf16,True,False\n")),
            (Texts{"1x2x3:f16:f16:f32:bias:packed", "1x2x3:e4m3/tensor:e4m3/tensor:bf16"}));
}

TEST(ShapeList, ColumnsMayComeInAnyOrderAndCase) {
  EXPECT_EQ(problems(read("outdtype,k,n,m\ntorch.float32,3,2,1\n")), Texts{"1x2x3:bf16:bf16:f32"});
}

TEST(ShapeList, WhatAColumnDoesNotSayTheDefaultsDo) {
  EXPECT_EQ(problems(read("M,N,K,bias,dtype,outdtype,scaleAB\n1,2,3,,,,\n")), Texts{"1x2x3:bf16:bf16:bf16"});
}

TEST(ShapeList, ReadsOddFilesWhole) {
  const auto list = read_shapes(data / "odd_untuned.csv", format_defaults(Format::a16w16));
  EXPECT_TRUE(list.rejected.empty());
  EXPECT_EQ(problems(list), (Texts{"1x1280x8192:bf16:bf16:bf16:bias", "16x1280x8192:bf16:bf16:f32:bias",
                                   "32x1280x8192:bf16:bf16:bf16"}));
  EXPECT_EQ(list.shapes[2].where, (data / "odd_untuned.csv").string() + ":7");
}

TEST(ShapeList, AHeaderAloneIsAnEmptyList) {
  EXPECT_TRUE(read("M,N,K").shapes.empty());
  EXPECT_TRUE(read("M,N,K\r\n\r\n").shapes.empty());
}

TEST(ShapeList, DuplicatesAreMergedAndTheirWeightsAdded) {
  const auto list = read("M,N,K,weight\n1,2,3,2.5\n4,5,6,\n1,2,3,\n");
  ASSERT_EQ(list.shapes.size(), 2U);
  EXPECT_EQ(list.shapes[0].weight, 3.5);
  EXPECT_EQ(list.shapes[0].where, "s.csv:2");
  EXPECT_EQ(list.shapes[1].weight, 1);
}

TEST(ShapeList, NamesTheColumnsItDoesNotUse) {
  EXPECT_EQ(read("cu_num,M,N,K,us\n256,1,2,3,4.5\n").ignored_columns, (Texts{"cu_num", "us"}));
}

TEST(ShapeList, WholeNumbersMayHaveADecimalPoint) {
  EXPECT_EQ(problems(read("M,N,K\n128.0,2,3\n")), Texts{"128x2x3:bf16:bf16:bf16"});
}

TEST(ShapeList, AProblemSaysAll) {
  const auto list = read("problem,weight,layer\n16x512x7168:int8/row:int8/row:fp16:batch=16:bias,3,o_proj\n");
  EXPECT_EQ(problems(list), Texts{"16x512x7168:int8/row:int8/row:f16:batch=16:bias"});
  EXPECT_EQ(list.shapes[0].layer, "o_proj");
  EXPECT_EQ(problems(read("M,N,K,problem\n,,,1x2x3:a16w16\n4,5,6,\n")),
            (Texts{"1x2x3:bf16:bf16:bf16", "4x5x6:bf16:bf16:bf16"}));
}

TEST(ShapeList, TakesACaptureWhoseCallsAreWeights) {
  const auto list = read(
      "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n"
      "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16,padded_fine,3,32,4.5\n"
      "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16,fallback,2,0,0.0\n");
  EXPECT_EQ(problems(list), Texts{"20x64x128:bf16:bf16:bf16"});
  EXPECT_EQ(list.shapes[0].weight, 5);
}

struct BadLine {
  std::string text;
  std::string where;
  std::string reason;
  Format format{Format::a16w16};
};

TEST(ShapeList, TheTypeOfInputsIsThatOfFloatsWhereWeightsAreInBlocks) {
  EXPECT_EQ(problems(read("M,N,K,dtype,outdtype\n1,2,4,torch.float32,torch.float32\n", Format::a8w4)),
            Texts{"1x2x4:f32/q8:e2m1/1x32:f32:packed"});
  EXPECT_EQ(problems(read("M,N,K,dtype\n1,2,4,fp16\n", Format::a8wq4)), Texts{"1x2x4:f16/q8:int4/1x32f16:bf16:packed"});
}

class BadLines : public testing::TestWithParam<BadLine> {};

TEST_P(BadLines, AreRejectedWithPlaceAndReason) {
  const auto list = read(GetParam().text, GetParam().format);
  ASSERT_EQ(list.rejected.size(), 1U) << GetParam().text;
  EXPECT_EQ(list.rejected[0].where, GetParam().where);
  EXPECT_EQ(list.rejected[0].reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    ShapeList, BadLines,
    testing::Values(BadLine{"M,N,K\n1,2x,3\n", "s.csv:2:3", "N: found '2x', expected a whole number above 0"},
                    BadLine{"M,N,K\n1,2\n", "s.csv:2:3", "K: found '', expected a whole number above 0"},
                    BadLine{"M,N,K\n\n1, 0,3\n", "s.csv:3:4", "N: found '0', expected a whole number above 0"},
                    BadLine{"M,N,K\n-1,2,3\n", "s.csv:2:1", "M: found '-1', expected a whole number above 0"},
                    BadLine{"M,N,K\n1.5,2,3\n", "s.csv:2:1", "M: found '1.5', expected a whole number above 0"},
                    BadLine{"M,N,K\nnan,2,3\n", "s.csv:2:1", "M: found 'nan', expected a whole number above 0"},
                    BadLine{"M,N,K\n1e300,2,3\n", "s.csv:2:1", "M: found '1e300', expected a whole number above 0"},
                    BadLine{"M,N,K,bias\n1,2,3,maybe\n", "s.csv:2:7", "bias: found 'maybe', expected True or False"},
                    BadLine{"M,N,K,dtype\n1,2,3,torch.banana\n", "s.csv:2:7",
                            "dtype: found 'torch.banana', expected a type, as torch.bfloat16"},
                    BadLine{"M,N,K,weight\n1,2,3,0\n", "s.csv:2:7", "weight: found '0', expected a number above 0"},
                    BadLine{"M,N,K\n1,2,3,4\n", "s.csv:2:7", "found '4' beyond the last column, K"},
                    BadLine{"M,N,K,scaleAB\n1,2,3,True\n", "s.csv:2:7",
                            "scaleAB: found 'True', expected False: tensor scales are for 8-bit types"},
                    BadLine{"M,N,K,q_dtype_w\n1,2,4,torch.int8\n", "s.csv:2:7",
                            "q_dtype_w: found 'torch.int8', expected a type of 4 bits, which this format has",
                            Format::a4w4},
                    BadLine{"M,N,K,problem\n1,2,4,1x2x3:a16w16\n", "s.csv:2:7",
                            "problem: found '1x2x3:a16w16', but the other columns say 1x2x4:bf16:bf16:bf16"},
                    BadLine{"problem\n1x2:a16w16\n", "s.csv:2:1",
                            "problem: found '1x2:a16w16', expected a problem: problem '1x2:a16w16', column 1: found "
                            "'1x2', expected sizes as MxNxK"},
                    BadLine{"M,N,K\n1,2,3\n", "s.csv:2:1", "K = 3 must be even: two e2m1 share a byte", Format::a4w4},
                    BadLine{"M,N,K\n99999999999,2,3\n", "s.csv:2:1", "sizes must be from 1 to 2147483648"}));

TEST(ShapeList, ABadLineDoesNotHideTheGoodOnes) {
  const auto list = read("M,N,K\n1,2,3\nx,2,3\n4,5,6\n");
  EXPECT_EQ(list.shapes.size(), 2U);
  EXPECT_EQ(list.rejected.size(), 1U);
}

TEST(ShapeList, RefusesAFileWithoutItsSizes) {
  try {
    read("token,model_dim\n1,2\n");
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_STREQ(error.what(), "s.csv:1:1: found columns token,model_dim, expected M, N and K among them");
  }
}

/// Every data line ends up in exactly one place, whatever it holds.
TEST(ShapeList, AccountsForEveryLine) {
  const std::vector<std::string> cells{"1", "64", " 128 ", "\t16", "0",          "-3",
                                       "x", "",   "1e3",   "True", "torch.int8", "7.0"};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = "M,N,K,bias\n";
    const auto line_count = random() % 20;
    for (std::uint64_t i = 0; i < line_count; ++i) {
      text += "1";  // never blank
      for (auto cell = random() % 5; cell > 0; --cell) text += "," + cells[random() % cells.size()];
      text += random() % 2 == 0 ? "\n" : "\r\n";
    }
    const auto list = read(text);
    double used = 0;
    for (const auto& shape : list.shapes) used += shape.weight;
    EXPECT_EQ(used + static_cast<double>(list.rejected.size()), static_cast<double>(line_count))
        << "seed " << seed << "\n"
        << text;
    for (const auto& shape : list.shapes) EXPECT_EQ(why_invalid(shape.problem), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace gemmtune
