// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/wgmma_stream/wgmma_stream_space.h"
#include "tests/families/check/back_to_back.h"
#include "tests/families/check/gpu_family_test.h"
#include "tests/support/covering_pairs.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_wgmma_stream_family();

namespace {

constexpr const char* types[]{":e4m3/row:e4m3/row", ":e4m3/tensor:e4m3/tensor", ":bf16:bf16", ":fp16:fp16"};

class WgmmaStreamTest : public check::GpuFamilyTest {
 protected:
  WgmmaStreamTest() : GpuFamilyTest(make_wgmma_stream_family(), "16x64x128:bf16:bf16:bf16") {}

  /// Tiles of one problem multiply another one.
  void expect_tiles_right(const std::string& tiles_of, const std::string& problem) const {
    const Space space = wgmma_stream_space(parse_problem(tiles_of), *info_);
    for (const auto& point : covering_pairs(space.points())) {
      const check::Case one{.problem = problem, .seed = 3};
      EXPECT_EQ(check::why_wrong(*family_, one, space.candidate("wgmma_stream", point)), "");
    }
  }
};

/// Nothing divides the sizes of the problems, and their K may be shorter than the tiles' parts.
TEST_F(WgmmaStreamTest, EveryTileIsRightOnRaggedSizes) {
  struct Two {
    std::string tiles_of;
    std::string sizes;
  };
  for (const auto& [tiles_of, sizes] :
       {Two{"1x2112x7168", "1x576x2048"}, Two{"16x7168x2048", "3x520x1168"}, Two{"24x2112x7168", "17x711x112"},
        Two{"64x7168x2048", "61x300x1616"}, Two{"128x7168x16384", "127x300x1152"}, Two{"128x24576x1536", "65x330x656"}})
    for (const std::string type : {":e4m3/row:e4m3/row:bf16", ":bf16:bf16:bf16"})
      for (const std::string rest : {"", ":packed"}) expect_tiles_right(tiles_of + type + rest, sizes + type + rest);
}

TEST_F(WgmmaStreamTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x16", "3x65x48", "17x129x272", "128x127x400", "9x333x2064", "100x7x1136"})
    for (const std::string type : types)
      for (const std::string rest : {":bf16", ":bf16:packed"}) EXPECT_EQ(why_first_wrong(sizes + type + rest), "");
  for (const std::string type : {":bf16:bf16", ":fp16:fp16"})
    EXPECT_EQ(why_first_wrong("5x66x1096" + type + ":f32"), "");
}

TEST_F(WgmmaStreamTest, OutputsBiasAndBatches) {
  for (const std::string rest :
       {":f32", ":fp16:bias", ":f32:bias", ":bf16:batch=3", ":bf16:batch=2:bias", ":fp16:batch=2:packed"})
    for (const std::string type : types)
      for (const std::string sizes : {"15x200x640", "70x201x1152"}) EXPECT_EQ(why_first_wrong(sizes + type + rest), "");
}

TEST_F(WgmmaStreamTest, EveryPairOfScales) {
  for (const std::string a : {"e4m3", "e4m3/tensor", "e4m3/row"})
    for (const std::string w : {"e4m3", "e4m3/tensor", "e4m3/row"}) {
      EXPECT_EQ(why_first_wrong("19x200x640:" + a + ":" + w + ":bf16"), "");
      EXPECT_EQ(why_first_wrong("100x201x640:" + a + ":" + w + ":f32:batch=2:bias"), "");
    }
}

TEST_F(WgmmaStreamTest, HardOperands) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    for (const std::string type : types)
      for (const std::string sizes : {"16x300x2048", "64x300x1536", "128x200x1024"})
        EXPECT_EQ(why_first_wrong(sizes + type + ":bf16", recipe), "") << to_string(recipe);
}

void set_scale(std::vector<std::byte>& scales, std::size_t at, float value) {
  std::memcpy(scales.data() + at * sizeof value, &value, sizeof value);
}

/// Scales that are zero, NaN, and so large and small that only their product is within float's range.
TEST_F(WgmmaStreamTest, ScalesAtTheEndsOfTheirRange) {
  const auto problem = parse_problem("17x200x1024:e4m3/row:e4m3/row:f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  set_scale(host.a_scale, 3, 0x1p-110f);
  set_scale(host.a_scale, 5, 0);
  set_scale(host.a_scale, 7, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 64; row < 80; ++row) set_scale(host.w_scale, row, 0x1p+100f);
  EXPECT_EQ(why_first_wrong_on(problem, host, "scales far from 1"), "");
}

/// Each call quantises A in front of the product.
TEST_F(WgmmaStreamTest, ActivationsThatTheCallQuantises) {
  for (const std::string rest :
       {":a16w8", ":f16/fp8_row:e4m3/tensor:f32:bias:packed", ":f32/fp8_row:e4m3:bf16:batch=2"})
    for (const std::string sizes : {"1x65x16", "17x200x1136", "128x333x20480"})
      EXPECT_EQ(why_first_wrong(sizes + rest), "");
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    EXPECT_EQ(why_first_wrong("64x300x1536:a16w8:packed", recipe), "");
}

/// The product starts before the quantiser has ended, and the next call's quantiser before the product has.
TEST_F(WgmmaStreamTest, QuantisingCallsOneBehindTheOther) {
  for (const std::string text : {"1x2112x7168:a16w8:packed", "128x576x1536:a16w8"})
    EXPECT_EQ(check::why_back_to_back_wrong(*family_, {.problem = text, .seed = 11}, first(parse_problem(text))), "");
}

TEST_F(WgmmaStreamTest, NamesSayAll) {
  for (const auto* problem : {"16x1024x2048:e4m3/row:e4m3/row:bf16", "16x1024x2048:bf16:bf16:bf16"})
    EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(problem)), "");
}

}  // namespace
}  // namespace gemmtune
