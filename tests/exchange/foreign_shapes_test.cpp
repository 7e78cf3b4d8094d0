// The small files in tests/data/exchange, written as the tools write theirs. tunableop_recorded0.csv is what PyTorch
// 2.15.0 itself recorded of 16 products.
#include "gemmtune/exchange/foreign_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/tunable_op.h"

namespace gemmtune {
namespace {

const std::filesystem::path folder = std::filesystem::path(GEMMTUNE_SOURCE) / "tests/data/exchange";

struct Expected {
  std::string problem{};
  double weight{1};
};

void expect_shapes(const char* file, const std::vector<Expected>& expected, std::size_t rejected) {
  const auto path = folder / file;
  const auto list = foreign_shapes(path, read_file(path));
  ASSERT_EQ(list.shapes.size(), expected.size()) << file;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(to_string(list.shapes[i].problem), expected[i].problem) << file;
    EXPECT_EQ(list.shapes[i].weight, expected[i].weight) << file << ", " << expected[i].problem;
  }
  EXPECT_EQ(list.rejected.size(), rejected) << file;
}

TEST(ForeignShapes, OfEachTool) {
  expect_shapes("tunableop_untuned0.csv",
                {{"37x256x7168:bf16:bf16:bf16", 2}, {"64x128x576:bf16:bf16:bf16:batch=16:nn"}}, 1);
  expect_shapes(
      "tunableop_results0.csv",
      {{"37x256x7168:bf16:bf16:bf16"}, {"8x512x1024:f16:f16:f16:bias"}, {"37x256x7168:e4m3/row:e4m3/row:bf16"}}, 0);
  expect_shapes("hipblaslt_tuning.txt",
                {{"16x1280x8192:bf16:bf16:bf16"}, {"16x1280x8192:e4m3fnuz/row:e4m3fnuz/row:bf16:bias:gelu_tanh"}}, 1);
  expect_shapes("rocblas_tuning.csv", {{"16x1280x8192:bf16:bf16:bf16"}, {"32x64x128:f16:f16:f16:batch=4:nn:residual"}},
                0);
  expect_shapes("hipblaslt_bench.log",
                {{"16x1280x8192:bf16:bf16:bf16", 2},
                 {"16x1280x8192:bf16:bf16:bf16:bias:relu"},
                 {"64x8192x1024:e4m3/tensor:e4m3/tensor:bf16"}},
                1);
  expect_shapes("cublaslt.log",
                {{"32x2048x1024:bf16:bf16:bf16:nn"},
                 {"32x2048x1024:e4m3/tensor:e4m3/tensor:bf16"},
                 {"32x2048x1024:e4m3/1x128:e4m3/128x128:bf16:bias"},
                 {"8x64x96:tf32:tf32:f32:batch=4:nn:lda=128"}},
                1);
  expect_shapes("N=512,K=1024,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json",
                {{"1x512x1024:e4m3/1x128:e4m3/128x128:bf16"}, {"64x512x1024:e4m3/1x128:e4m3/128x128:bf16"}}, 1);
}

TEST(ForeignShapes, WhatPyTorchRecorded) {
  expect_shapes("tunableop_recorded0.csv",
                {{"37x256x7168:bf16:bf16:bf16"},
                 {"1x256x7168:bf16:bf16:bf16"},
                 {"37x256x7168:bf16:bf16:bf16:bias"},
                 {"64x128x576:bf16:bf16:bf16:batch=16:nn"},
                 {"64x128x576:bf16:bf16:bf16:batch=16"},
                 {"37x256x7168:e4m3/tensor:e4m3/tensor:bf16"},
                 {"37x256x7168:e4m3/row:e4m3/row:bf16"},
                 {"64x256x7168:e4m3/1x128:e4m3/128x128:bf16"},
                 {"37x256x64:f32:f32:f32"},
                 {"37x256x64:f16:f16:f16"},
                 {"37x1x64:bf16:bf16:bf16:nn"},
                 {"37x64x1:bf16:bf16:bf16:nn"},
                 {"37x96x64:bf16:bf16:bf16:tn"},
                 {"37x96x64:bf16:bf16:bf16:lda=128"},
                 {"32x48x64:e4m3/tensor:e4m3/tensor:f16:bias"},
                 {"37x256x64:tf32:tf32:f32"}},
                0);
}

/// Byte for byte: PyTorch compares texts.
TEST(ForeignShapes, KeysAreThoseThatPyTorchRecorded) {
  const auto text = read_file(folder / "tunableop_recorded0.csv");
  int compared = 0;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto call = tunable_op_call(line);
    if (!why_no_tunable_op(call.problem).empty()) continue;
    const auto key = tunable_op_key(call, TorchBuild::cuda);
    EXPECT_EQ(key.operation + ',' + key.parameters, line);
    ++compared;
  }
  EXPECT_EQ(compared, 14) << "all but the two vectors";
}

TEST(ForeignShapes, FusedMoeSaysNoK) {
  const auto path = folder / "E=8,N=192,device_name=NVIDIA_H200,dtype=fp8_w8a8,per_channel_quant=True_down.json";
  EXPECT_THROW((void)foreign_shapes(path, read_file(path)), Error);
}

TEST(ForeignShapes, OtherFilesAreNamed) {
  try {
    (void)foreign_shapes("x.csv", "M,N,K\n1,2,3\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("x.csv:1:1: found 'M,N,K', expected a file of PyTorch's"))
        << error.what();
  }
}

}  // namespace
}  // namespace gemmtune
