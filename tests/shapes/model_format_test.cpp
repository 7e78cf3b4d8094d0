#include "gemmtune/shapes/model_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Json = nlohmann::json;

std::string types(const Json& config, std::string_view asked = "", DType dtype = DType::bf16) {
  auto problem = model_format(config, {.source = "config.json", .dtype = dtype}, asked).quantised;
  problem.m = problem.n = problem.k = 2;
  return to_string(problem);
}

Json quantised(const Json& quantisation) { return {{"quantization_config", quantisation}}; }

Json compressed(const Json& weights) {
  return quantised({{"quant_method", "compressed-tensors"},
                    {"config_groups", {{"group_0", {{"weights", weights}, {"input_activations", Json::object()}}}}}});
}

TEST(ModelFormat, WithoutQuantisationIsTheModelsType) {
  EXPECT_EQ(types(Json::object()), "2x2x2:bf16:bf16:bf16");
  EXPECT_EQ(types(Json::object(), "", DType::f16), "2x2x2:f16:f16:f16");
}

TEST(ModelFormat, OfEachQuantisation) {
  EXPECT_EQ(types(quantised({{"quant_method", "fp8"}})), "2x2x2:e4m3/tensor:e4m3/tensor:bf16");
  EXPECT_EQ(types(quantised({{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}})),
            "2x2x2:e4m3/1x128:e4m3/128x128:bf16");
  EXPECT_EQ(types(quantised({{"quant_method", "fbgemm_fp8"}})), "2x2x2:e4m3/row:e4m3/row:bf16");
  EXPECT_EQ(types(quantised({{"quant_method", "mxfp4"}})), "2x2x2:e2m1/1x32:e2m1/1x32:bf16:packed");
  EXPECT_EQ(types(compressed({{"num_bits", 8}, {"type", "float"}, {"strategy", "channel"}})),
            "2x2x2:e4m3/row:e4m3/row:bf16");
  EXPECT_EQ(types(compressed({{"num_bits", 8}, {"type", "float"}, {"strategy", "tensor"}})),
            "2x2x2:e4m3/tensor:e4m3/tensor:bf16");
  EXPECT_EQ(types(compressed({{"num_bits", 8}, {"type", "int"}, {"strategy", "channel"}})),
            "2x2x2:int8/row:int8/row:bf16");
  EXPECT_EQ(
      types(compressed({{"num_bits", 8}, {"type", "float"}, {"strategy", "block"}, {"block_structure", {128, 128}}})),
      "2x2x2:e4m3/1x128:e4m3/128x128:bf16");
  EXPECT_EQ(types(compressed({{"num_bits", 4}, {"type", "float"}, {"group_size", 32}})),
            "2x2x2:e2m1/1x32:e2m1/1x32:bf16:packed");
  EXPECT_EQ(types(quantised({{"quant_method", "mxfp8"}})), "2x2x2:e4m3/1x32:e4m3/1x32:bf16:packed");
  EXPECT_EQ(types(quantised({{"quant_method", "mxfp8"}, {"weight_block_size", {1, 32}}})),
            "2x2x2:e4m3/1x32:e4m3/1x32:bf16:packed");
  EXPECT_EQ(types(quantised({{"quant_method", "fp8"}, {"scale_fmt", "ue8m0"}, {"weight_block_size", {32, 32}}})),
            "2x2x2:e4m3/1x32:e4m3/32x32:bf16:packed");
  EXPECT_EQ(types(compressed({{"num_bits", 8}, {"type", "float"}, {"strategy", "group"}, {"group_size", 32}})),
            "2x2x2:e4m3/1x32:e4m3/1x32:bf16:packed");
  const Json fp4{{"weight", {{"dtype", "fp4"}, {"group_size", 32}}}, {"input_tensors", Json::object()}};
  EXPECT_EQ(types(quantised({{"quant_method", "quark"}, {"global_quant_config", fp4}})),
            "2x2x2:e2m1/1x32:e2m1/1x32:bf16:packed");
}

TEST(ModelFormat, TheModelsTypeIsTheOutputs) {
  EXPECT_EQ(types(quantised({{"quant_method", "fbgemm_fp8"}}), "", DType::f16), "2x2x2:e4m3/row:e4m3/row:f16");
}

TEST(ModelFormat, MayStandInTheNestedConfig) {
  const Json nested{{"text_config", {{"hidden_size", 1}, {"quantization_config", {{"quant_method", "fbgemm_fp8"}}}}}};
  EXPECT_EQ(types(nested), "2x2x2:e4m3/row:e4m3/row:bf16");
}

TEST(ModelFormat, WhatHasNoCounterpartMustBeAskedFor) {
  for (const auto& quantisation :
       {Json{{"quant_method", "awq"}}, Json{{"quant_method", "fp8"}, {"weight_block_size", {64, 64}}}, Json::object(),
        Json{{"quant_method", "fp8"}, {"weight_block_size", {32, 32}}},
        Json{{"quant_method", "mxfp8"}, {"weight_block_size", {16, 16}}},
        Json{{"quant_method", "compressed-tensors"}, {"config_groups", Json::object()}}}) {
    try {
      (void)types(quantised(quantisation));
      ADD_FAILURE() << quantisation;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find("say with --format"), std::string::npos) << error.what();
    }
    EXPECT_EQ(types(quantised(quantisation), "a4w4"), "2x2x2:e2m1/1x32:e2m1/1x32:bf16:packed");
  }
}

TEST(ModelFormat, AsAskedFor) {
  const auto config = quantised({{"quant_method", "fbgemm_fp8"}});
  EXPECT_EQ(types(config, "a16w16"), "2x2x2:bf16:bf16:bf16");
  EXPECT_EQ(types(config, "a8w4"), "2x2x2:bf16/q8:e2m1/1x32:bf16:packed");
  EXPECT_EQ(types(config, "a16w8_blockscale"), "2x2x2:bf16/fp8_1x128:e4m3/128x128:bf16");
  EXPECT_EQ(types(config, "a16w4_fp8", DType::f16), "2x2x2:f16/fp8_row:e2m1/1x32:f16:packed");
  EXPECT_EQ(types(config, "a16w4_nvfp4"), "2x2x2:bf16:e2m1/1x16:bf16:packed");
  EXPECT_EQ(types(config, "a16w16", DType::f16), "2x2x2:f16:f16:f16");
  EXPECT_EQ(types(config, "e4m3fnuz/row:e4m3fnuz/row:bf16:packed"), "2x2x2:e4m3fnuz/row:e4m3fnuz/row:bf16:packed");
  try {
    (void)types(config, "fp9");
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST(ModelFormat, KnowsWhatWasLeftAlone) {
  const auto config =
      quantised({{"quant_method", "fbgemm_fp8"}, {"modules_to_not_convert", {"model.layers.0", "lm_head"}}});
  const auto format = model_format(config, {.source = "config.json"}, "");
  EXPECT_TRUE(format.left_alone.match("model.layers.0.mlp.up_proj"));
  EXPECT_FALSE(format.left_alone.match("model.layers.1.mlp.up_proj"));
}

}  // namespace
}  // namespace gemmtune
