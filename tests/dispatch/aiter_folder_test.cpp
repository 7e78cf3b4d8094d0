#include "gemmtune/dispatch/aiter_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

class AiterFolder : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(configs_ / "model_configs"); }
  void TearDown() override { fs::remove_all(folder_); }

  void touch(const std::string& name) const { write_file_atomically(configs_ / name, "M,N,K\n"); }

  std::vector<std::string> names(Format format, bool packed) const {
    std::vector<std::string> found;
    for (const auto& table : aiter_tables(folder_).tables)
      if (table.family == TableFamily{format, packed}) found.push_back(table.path.filename().string());
    return found;
  }

  using Names = std::vector<std::string>;
  const fs::path folder_ = fs::path(testing::TempDir()) / ("aiter_folder_" + std::to_string(::getpid()));
  const fs::path configs_ = folder_ / "aiter" / "configs";
};

TEST_F(AiterFolder, TablesOfModelsBelongToTheFamilyThatTheirNameHas) {
  for (const auto* name :
       {"bf16_tuned_gemm.csv", "a8w8_blockscale_tuned_gemm.csv", "bf16_untuned_gemm.csv",
        "model_configs/dsv3_bf16_tuned_gemm.csv", "model_configs/llama_bf16_untuned_gemm.csv",
        "model_configs/a8w8_blockscale_tuned_gemm_x.csv", "model_configs/a8w8_blockscale_bpreshuffle_tuned_gemm_x.csv",
        "model_configs/glm_fp8_tuned_fmoe.csv", "tuned_fmoe.csv", "tuned_grouped_fmoe.csv"})
    touch(name);
  EXPECT_EQ(names(Format::a16w16, false), (Names{"bf16_tuned_gemm.csv", "dsv3_bf16_tuned_gemm.csv"}));
  EXPECT_EQ(names(Format::a8w8_blockscale, false),
            (Names{"a8w8_blockscale_tuned_gemm.csv", "a8w8_blockscale_tuned_gemm_x.csv"}));
  EXPECT_EQ(names(Format::a8w8_blockscale, true), (Names{"a8w8_blockscale_bpreshuffle_tuned_gemm_x.csv"}));
  EXPECT_EQ(
      aiter_tables(folder_).moe_tables,
      (std::vector<fs::path>{configs_ / "tuned_fmoe.csv", configs_ / "model_configs" / "glm_fp8_tuned_fmoe.csv"}));
  EXPECT_EQ(aiter_tables(folder_ / "aiter").tables.size(), 5U) << "the package's folder";
}

TEST_F(AiterFolder, WhatIsNoneIsRefused) {
  EXPECT_THROW((void)aiter_tables(folder_), Error) << "no tables";
  EXPECT_THROW((void)aiter_tables(folder_ / "nowhere"), Error);
}

}  // namespace
}  // namespace gemmtune
