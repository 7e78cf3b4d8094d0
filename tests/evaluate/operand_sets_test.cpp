#include "gemmtune/evaluate/operand_sets.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace gemmtune {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

DeviceInfo device_with(std::int64_t cache_bytes, std::int64_t memory_bytes) {
  return {.last_level_cache_bytes = cache_bytes, .memory_bytes = memory_bytes};
}

TEST(RotationCount, MakesUpTwiceTheLastLevelCache) {
  for (const char* text : {"64x4096x4096:bf16:bf16:bf16", "1x1024x1024:f32:f32:f32", "512x512x512:a4w4"}) {
    const auto problem = parse_problem(text);
    const auto set_bytes = operand_sizes(problem).total();
    const auto count = static_cast<std::int64_t>(rotation_count(problem, device_with(32 * mib, 65536 * mib)));
    EXPECT_GE(count * set_bytes, 64 * mib) << text;
    EXPECT_LT((count - 1) * set_bytes, 64 * mib) << text;
  }
}

TEST(RotationCount, IsOneForWhatIsLargerThanTheCache) {
  EXPECT_EQ(rotation_count(parse_problem("16x32768x32768:bf16:bf16:bf16"), device_with(32 * mib, 24576 * mib)), 1u);
}

TEST(RotationCount, StaysWithinCountAndMemory) {
  EXPECT_EQ(rotation_count(parse_problem("1x1x1:f32:f32:f32"), device_with(32 * mib, 0)), 128u);
  const auto problem = parse_problem("1024x1024x1024:f32:f32:f32");  // 12 MiB
  EXPECT_EQ(rotation_count(problem, device_with(512 * mib, 512 * mib)), 5u) << "an eighth of the memory";
  EXPECT_EQ(rotation_count(problem, device_with(0, 0)), 6u) << "a cache of unknown size counts as 32 MiB";
}

TEST(RotationCount, LargePackedWeightsMakeFewerSets) {
  const auto problem = parse_problem("16x2048x2048:a4w4");
  const auto device = device_with(32 * mib, 65536 * mib);
  const auto shared = rotation_count(problem, device);
  EXPECT_EQ(rotation_count(problem, device, 0), shared) << "who does not pack uses the problem's own weights";
  EXPECT_EQ(rotation_count(problem, device, 1000), shared) << "never more than there are";
  const auto sizes = operand_sizes(problem);
  const std::int64_t packed = 8 * sizes.w;
  const auto count = static_cast<std::int64_t>(rotation_count(problem, device, static_cast<std::size_t>(packed)));
  const std::int64_t set_bytes = sizes.a + sizes.a_scale + sizes.c + packed;
  EXPECT_GE(count * set_bytes, 64 * mib);
  EXPECT_LT((count - 1) * set_bytes, 64 * mib);
}

class OperandSetsTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = open_device("cpu");
  Problem problem_ = parse_problem("8x48x128:int8/row:int8/row:bf16:bias");
  HostOperands host_ = draw_operands(problem_, Recipe::gaussian, 7);
  OperandSets sets_{*device_, problem_};

  void SetUp() override { draw(); }
  void draw() { make_host_examiner(*device_)->draw(problem_, Recipe::gaussian, 7, sets_.inputs()); }

  void expect_drawn(std::size_t set) const {
    const auto operands = sets_.operands(set);
    const auto same = [](const std::byte* data, const std::vector<std::byte>& host) {
      return std::memcmp(data, host.data(), host.size()) == 0;
    };
    EXPECT_TRUE(same(operands.a, host_.a)) << "set " << set;
    EXPECT_TRUE(same(operands.a_scale, host_.a_scale)) << "set " << set;
    EXPECT_TRUE(same(operands.w, host_.w)) << "set " << set;
    EXPECT_TRUE(same(operands.w_scale, host_.w_scale)) << "set " << set;
    EXPECT_TRUE(same(operands.bias, host_.bias)) << "set " << set;
  }
};

TEST_F(OperandSetsTest, AllSetsHoldTheSameElsewhere) {
  sets_.grow(5);
  sets_.copy_weights();
  std::set<const std::byte*> addresses;
  for (std::size_t set = 0; set < 5; ++set) {
    expect_drawn(set);
    const auto operands = sets_.operands(set);
    addresses.insert({operands.a, operands.w, operands.c});
  }
  EXPECT_EQ(addresses.size(), 15u);
}

TEST_F(OperandSetsTest, WeightsAreCopiedOnlyWhenWanted) {
  sets_.grow(3);
  EXPECT_EQ(sets_.operands(2).w, sets_.operands(0).w);
  sets_.copy_weights();
  EXPECT_NE(sets_.operands(2).w, sets_.operands(0).w);
}

TEST_F(OperandSetsTest, ChangedInputsAndGuardsAreRestored) {
  sets_.grow(3);
  sets_.copy_weights();
  *const_cast<std::byte*>(sets_.operands(1).w) ^= std::byte{4};
  *const_cast<std::byte*>(sets_.operands(2).bias) ^= std::byte{4};
  *(sets_.c(1).data() - 1) ^= std::byte{4};
  *(sets_.c(2).data() + sets_.c(2).size()) ^= std::byte{4};
  sets_.restore();
  ASSERT_EQ(sets_.count(), 3u);
  for (std::size_t set = 0; set < 3; ++set) {
    expect_drawn(set);
    EXPECT_EQ(sets_.c(set).why_broken(*device_), "");
  }
  EXPECT_NE(sets_.operands(2).w, sets_.operands(0).w);
}

TEST_F(OperandSetsTest, WeightsThatWereNotCopiedAreNotRestored) {
  sets_.grow(2);
  sets_.restore();
  EXPECT_EQ(sets_.operands(1).w, sets_.operands(0).w);
  expect_drawn(1);
}

}  // namespace
}  // namespace gemmtune
