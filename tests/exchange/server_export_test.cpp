#include "gemmtune/exchange/server_export.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

constexpr const char* blocks = ":e4m3/1x128:e4m3/128x128:bf16";

TunedRow row(const std::string& problem, const std::string& kernel, double time_us) {
  return {.problem = parse_problem(problem), .libtype = "triton", .time_us = time_us, .kernel_name = kernel};
}

TEST(ServerExport, OneFileForEachNAndK) {
  const auto made =
      server_export({.rows = {row(std::string("64x512x1024") + blocks, "triton_bm64_bn128_bk128_g8_w4_s3_k1", 4),
                              row(std::string("16x512x1024") + blocks, "triton_bm16_bn128_bk64_g1_w4_s3_k1", 3),
                              row(std::string("16x512x1024") + blocks, "triton_bm32_bn128_bk64_g1_w4_s3_k1", 2),
                              row(std::string("16x256x1024") + blocks, "triton_bm16_bn128_bk32_g1_w4_s3_k1", 3)}},
                    "NVIDIA_H200");
  EXPECT_TRUE(made.left_out.empty());
  ASSERT_EQ(made.configs.size(), 2U);
  EXPECT_EQ(server_config_file_name(made.configs[1].name, Server::vllm),
            "N=512,K=1024,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json");
  ASSERT_EQ(made.configs[1].entries.size(), 2U);
  EXPECT_EQ(made.configs[1].entries[0].m, 16);
  EXPECT_EQ(made.configs[1].entries[0].params, (std::vector<Param>{{"BLOCK_SIZE_M", "32"},
                                                                   {"BLOCK_SIZE_N", "128"},
                                                                   {"BLOCK_SIZE_K", "64"},
                                                                   {"GROUP_SIZE_M", "1"},
                                                                   {"num_warps", "4"},
                                                                   {"num_stages", "3"}}));
}

TEST(ServerExport, WhatTheServersKernelCannotDoIsLeftOut) {
  const std::string problem = std::string("64x512x1024") + blocks;
  auto other = row(problem, "triton_bm64_bn128_bk128_g8_w4_s3_k1", 4);
  other.libtype = "cublaslt";
  const auto made =
      server_export({.rows = {other, row(problem, "triton_bm64_bn128_bk128_g8_w4_s3_k2", 4),
                              row(problem, "triton_bm64_bn128_bk256_g8_w4_s3_k1", 4),
                              row(problem, "triton_bm64_bn128_bk128_g8_w4_s3_k1_p1", 4),
                              row(problem, "triton_bm64_bn128_bk128_g8_w4_s3_k1", 0),
                              row(problem + ":bias", "triton_bm64_bn128_bk128_g8_w4_s3_k1", 4),
                              row("64x512x1024:bf16:bf16:bf16", "triton_bm64_bn128_bk128_g8_w4_s3_k1", 4)}},
                    "X");
  EXPECT_TRUE(made.configs.empty());
  EXPECT_EQ(made.left_out.size(), 7U);
}

TEST(ServerExport, DevicesAsNamesSpellThem) {
  EXPECT_EQ(server_device_name("NVIDIA H100 80GB HBM3"), "NVIDIA_H100_80GB_HBM3");
  EXPECT_EQ(server_device_name("NVIDIA H200 NVL"), "NVIDIA_H200");
  EXPECT_EQ(server_device_name("a/b"), "a_b");
}

}  // namespace
}  // namespace gemmtune
