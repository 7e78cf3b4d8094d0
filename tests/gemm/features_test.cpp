#include "gemmtune/gemm/features.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

FeatureSet beyond_basic(const char* problem) { return features_of(parse_problem(problem)).without(basic_features()); }

TEST(Features, BasicOnesAreWhatAiterTablesAskFor) {
  for (const auto* text : {"4x4x8:a16w16:bias", "4x4x128:a8w8_blockscale", "4x4x32:a4w4:packed", "4x4x8:tf32:tf32:f32",
                           "4x4x8:int8/tensor:int8/row:f16:batch=3"})
    EXPECT_TRUE(beyond_basic(text).empty()) << text;
}

TEST(Features, EachPartOfALayoutAndOfAnEpilogueIsOne) {
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:tt"), FeatureSet{Feature::a_mn_major});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:nn"), FeatureSet{Feature::w_mn_major});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:ldc=8"), FeatureSet{Feature::leading_dimensions});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:batch=2:stride_w=64"), FeatureSet{Feature::batch_strides});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:relu:residual"), (FeatureSet{Feature::relu, Feature::residual}));
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:gelu_tanh"), FeatureSet{Feature::gelu_tanh});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:gelu_erf"), FeatureSet{Feature::gelu_erf});
  EXPECT_EQ(beyond_basic("4x4x8:a16w16:silu"), FeatureSet{Feature::silu});
}

TEST(Features, TypesAndScalesOfBlocksAreNotBasic) {
  EXPECT_TRUE(beyond_basic("4x4x32:a16w4").empty());
  EXPECT_EQ(beyond_basic("4x4x32:a8w4"), FeatureSet{feature_of(Scaling::q8_in_call)});
  EXPECT_EQ(beyond_basic("4x4x32:a16w4_nvfp4"), FeatureSet{feature_of(Scaling::nv_1x16)});
  for (const auto* text : {"4x4x32:a8w4_nvfp4", "4x4x32:a8wq4", "4x4x32:a8wq8"}) {
    EXPECT_FALSE(beyond_basic(text).empty()) << text;
    EXPECT_TRUE(beyond_basic(text).without(block_features()).empty()) << text;
  }
}

/// A family declares each by itself, because it may multiply one without the other.
TEST(Features, ActivationsThatTheCallQuantisesToFp8AreNotBasic) {
  EXPECT_EQ(beyond_basic("4x4x128:a16w8_blockscale"), FeatureSet{feature_of(Scaling::fp8_1x128)});
  for (const auto* text : {"4x4x32:a16w8", "4x4x32:a16w4_fp8"})
    EXPECT_EQ(beyond_basic(text), FeatureSet{feature_of(Scaling::fp8_row)}) << text;
  EXPECT_EQ(fp8_in_call_features(), (FeatureSet{feature_of(Scaling::fp8_1x128), feature_of(Scaling::fp8_row)}));
  EXPECT_TRUE(fp8_in_call_features().without(block_features()) == fp8_in_call_features());
}

TEST(Features, E8M0ScalesForBlocksOf128AreNotMxfp8) {
  EXPECT_EQ(beyond_basic("4x4x128:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16"), e8m0_block_features());
  EXPECT_EQ(beyond_basic("4x4x128:e4m3/1x128:e4m3/128x128e8m0:bf16"), FeatureSet{feature_of(Scaling::e8m0_128x128)});
}

/// Families that multiply e4m3, and MXFP4, are not asked about MXFP8.
TEST(Features, Mxfp8IsMoreThanItsTypeAndItsScales) {
  EXPECT_EQ(beyond_basic("4x4x32:mxfp8"), FeatureSet{Feature::mxfp8});
  EXPECT_EQ(beyond_basic("4x4x32:bf16:e4m3/1x32:bf16"), FeatureSet{Feature::mxfp8});
  EXPECT_EQ(beyond_basic("4x4x32:e4m3/1x32:e4m3/32x32:bf16"), mxfp8_features());
  EXPECT_TRUE(mxfp8_features().without(block_features()) == mxfp8_features());
}

TEST(Features, DistancesThatAreThoseOfContiguousTensorsAreNone) {
  auto problem = parse_problem("4x4x8:a16w16");
  problem.layout.a_strides = {.leading_dimension = 8, .batch = 999};
  EXPECT_TRUE(features_of(problem).without(basic_features()).empty());
}

TEST(Features, HaveNamesAndInventedOnesANumber) {
  EXPECT_EQ(to_string(feature_of(DType::e4m3)), "e4m3 operands or outputs");
  EXPECT_EQ(to_string(feature_of(Scaling::mx_1x32)), "1x32 scales");
  EXPECT_EQ(to_string(feature_of(Scaling::nv_1x16)), "1x16 scales");
  EXPECT_EQ(to_string(feature_of(Scaling::q8_in_call)), "A quantised in the call");
  EXPECT_EQ(to_string(feature_of(Scaling::fp8_1x128)), "A quantised in the call to e4m3 with 1x128 scales");
  EXPECT_EQ(to_string(feature_of(Scaling::fp8_row)), "A quantised in the call to e4m3 with scales of rows");
  EXPECT_EQ(to_string(feature_of(Scaling::e8m0_128x128)), "128x128e8m0 scales");
  EXPECT_EQ(to_string(feature_of(DType::i4)), "int4 operands or outputs");
  EXPECT_EQ(to_string(Feature::w_mn_major), "weights stored [K, N]");
  EXPECT_EQ(to_string(Feature::silu), "a SiLU");
  EXPECT_EQ(to_string(Feature::mxfp8), "e4m3 with E8M0 scales");
  EXPECT_EQ(to_string(feature_of(Scaling::mx_32x32)), "32x32 scales");
  EXPECT_EQ(to_string(static_cast<Feature>(63)), "feature 63");
  EXPECT_EQ(to_string(static_cast<Feature>(15)), "feature 15");
}

}  // namespace
}  // namespace gemmtune
