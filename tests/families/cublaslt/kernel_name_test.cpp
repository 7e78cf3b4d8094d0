#include "gemmtune/families/cublaslt/kernel_name.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace gemmtune::cublaslt {
namespace {

constexpr unsigned seed = 20;

KernelName example() {
  return {.config = {.id = 66, .tile = 23, .stages = 35, .custom = 3, .cluster = 3},
          .workspace_mib = 32,
          .version = 130100};
}

KernelName random_name(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random); };
  return {.is_default = below(2) == 1,
          .config = {.id = static_cast<int>(below(100)),
                     .tile = below(800),
                     .stages = below(50),
                     .split_k = static_cast<int>(1 + below(40)),
                     .reduction = below(8),
                     .swizzle = below(2),
                     .custom = below(256),
                     .inner = below(5),
                     .cluster = below(60)},
          .fast_accumulation = below(2) == 1,
          .workspace_mib = below(300),
          .version = 120000 + below(20000)};
}

TEST(CublasltName, SaysEverythingInTheLibrarysWords) {
  EXPECT_EQ(to_string(example()), "cublaslt_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130100");
  auto first = example();
  first.is_default = first.fast_accumulation = true;
  EXPECT_EQ(to_string(first), "cublaslt_default_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f1_w32_v130100");
}

TEST(CublasltName, NumbersStandWhereTheHeaderHasNoWord) {
  auto name = example();
  name.config.tile = 60000;
  name.config.stages = name.config.cluster = 0;
  EXPECT_EQ(to_string(name), "cublaslt_a66_t60000_s0_k1_r0_z0_o3_i0_c0_f0_w32_v130100");
  EXPECT_EQ(parse_kernel_name(to_string(name)), name);
}

TEST(CublasltName, TheLibraryMayChooseHowOftenToSplit) {
  auto name = example();
  name.config.split_k = -1;
  EXPECT_EQ(to_string(name), "cublaslt_a66_t128x256_s64xauto_kauto_r0_z0_o3_i0_c2x1_f0_w32_v130100");
  EXPECT_EQ(parse_kernel_name(to_string(name)), name);
  EXPECT_EQ(candidate_of(name).split_k, 1);
}

TEST(CublasltName, RoundTripsAndIsUnique) {
  std::mt19937 random(seed);
  std::set<KernelName> names;
  std::set<std::string> texts;
  for (int i = 0; i < 2000; ++i) {
    const auto name = random_name(random);
    EXPECT_EQ(parse_kernel_name(to_string(name)), name) << to_string(name) << " seed " << seed;
    names.insert(name);
    texts.insert(to_string(name));
  }
  EXPECT_EQ(names.size(), texts.size());
}

TEST(CublasltName, AnyOtherTextIsNone) {
  const auto text = to_string(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(parse_kernel_name(text.substr(0, i)).value_or(KernelName{}) == example()) << i;
    auto changed = text;
    changed[i] = '!';
    EXPECT_FALSE(parse_kernel_name(changed)) << changed;
  }
  for (const char* bad : {"", "cublaslt", "cublaslt_", "cublaslt_default", "onednn_f32_plain_t1",
                          "cublaslt_a066_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130100",
                          "cublaslt_a66_t23_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130100",
                          "cublaslt_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f2_w32_v130100",
                          "cublaslt_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130100_x1"})
    EXPECT_FALSE(parse_kernel_name(bad)) << bad;
}

TEST(CublasltName, CandidatesSayItAgain) {
  auto name = example();
  name.config.split_k = 4;
  const auto candidate = candidate_of(name);
  EXPECT_EQ(candidate.family, "cublaslt");
  EXPECT_EQ(candidate.name, to_string(name));
  EXPECT_EQ(candidate.split_k, 4);
  EXPECT_EQ(candidate.library_id, 66);
  ASSERT_EQ(candidate.params.size(), 12U);
  EXPECT_EQ(candidate.params[1], (Param{"t", "128x256"}));
}

TEST(CublasltName, InTheLibrarysNumbers) {
  auto name = example();
  name.config.split_k = -1;
  name.fast_accumulation = true;
  const auto kernel = library_kernel_of(name);
  EXPECT_EQ(kernel.library, "cublaslt");
  ASSERT_EQ(kernel.settings.size(), 9U);
  EXPECT_EQ(kernel.settings[0], (Param{"id", "66"}));
  EXPECT_EQ(kernel.settings[1], (Param{"tile", std::to_string(name.config.tile)}));
  EXPECT_EQ(kernel.settings[3], (Param{"splitk", "-1"}));
  EXPECT_EQ(kernel_name_of(kernel), name);
}

TEST(CublasltName, OtherNumbersAreNoKernel) {
  const auto kernel = library_kernel_of(example());
  for (const auto& wrong : {Param{"id", "x"}, Param{"tile", "66"}, Param{"id", "70000"}, Param{"id", "-2"}}) {
    auto other = kernel;
    other.settings[0] = wrong;
    EXPECT_FALSE(kernel_name_of(other)) << wrong.key << ' ' << wrong.value;
  }
  auto other = kernel;
  other.library = "hipblaslt";
  EXPECT_FALSE(kernel_name_of(other));
}

TEST(CublasltName, VersionsAreReadable) {
  EXPECT_EQ(version_text(130100), "13.1.0");
  EXPECT_EQ(version_text(120905), "12.9.5");
}

TEST(CublasltName, TilesHaveSizes) {
  EXPECT_EQ(tile_size(23).rows, 128);
  EXPECT_EQ(tile_size(23).columns, 256);
  EXPECT_EQ(tile_size(0).rows, 0);
}

}  // namespace
}  // namespace gemmtune::cublaslt
