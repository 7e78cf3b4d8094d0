#include "gemmtune/shapes/list_stats.h"

#include <gtest/gtest.h>

#include "gemmtune/gemm/format.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace {

ListStats stats(std::string_view text) {
  return stats_of(read_shapes(parse_csv(text, "s.csv"), format_defaults(Format::a16w16)),
                  [](const Problem&) { return DeviceRates{}; });
}

TEST(ListStats, CountsLayersMostOperationsFirst) {
  const auto counted = stats(
      "M,N,K,weight,layer\n"
      "1,64,128,3,small\n"
      "16,64,128,1,small\n"
      "256,512,1024,2,large\n"
      "nonsense\n");
  EXPECT_EQ(counted.shapes, 3U);
  EXPECT_EQ(counted.rejected, 1U);
  EXPECT_EQ(counted.weight, 6);
  ASSERT_EQ(counted.layers.size(), 2U);
  EXPECT_EQ(counted.layers[0].layer, "large");
  EXPECT_EQ(counted.layers[0].flops, 2.0 * 2 * 256 * 512 * 1024);
  EXPECT_EQ(counted.layers[1].m_low, 1);
  EXPECT_EQ(counted.layers[1].m_high, 16);
  EXPECT_EQ(counted.layers[1].shapes, 2U);
  EXPECT_EQ(counted.layers[1].weight, 4);
  EXPECT_EQ(counted.flops, counted.layers[0].flops + counted.layers[1].flops);
  EXPECT_EQ(counted.formats, (std::map<std::string, std::size_t>{{"a16w16", 3}}));
}

TEST(ListStats, TimesFollowFromTheRatesOfTheDevice) {
  const auto list =
      read_shapes(parse_csv("M,N,K,weight\n8192,8192,8192,3\n", "s.csv"), format_defaults(Format::a16w16));
  const auto with = [&](const DeviceRates& rates) { return stats_of(list, [&](const Problem&) { return rates; }); };
  const auto slow = with({.tflops = 0.1, .gbps = 10});
  EXPECT_NEAR(slow.least_us, 3 * 2.0 * 8192 * 8192 * 8192 / 0.1e6, 1) << "bound by its operations";
  EXPECT_NEAR(with({.tflops = 0.1, .gbps = 0.001}).least_us, 3 * moved_bytes(list.shapes[0].problem) / 1.0, 1);
  EXPECT_GT(slow.tuning_seconds, 100 * with({}).tuning_seconds);
}

TEST(ListStats, AnEmptyListHasNothing) {
  const auto counted = stats("M,N,K\n");
  EXPECT_EQ(counted.shapes, 0U);
  EXPECT_TRUE(counted.layers.empty());
  EXPECT_EQ(counted.tuning_seconds, 0);
}

TEST(TuningCost, GrowsWithWhatIsComputedAndMoved) {
  const Problem small{.m = 1, .n = 64, .k = 64};
  const Problem memory_bound{.m = 1, .n = 8192, .k = 8192};
  const Problem compute_bound{.m = 8192, .n = 8192, .k = 8192};
  EXPECT_LT(rough_time_us(small), rough_time_us(memory_bound));
  EXPECT_LT(rough_time_us(memory_bound), rough_time_us(compute_bound));
  EXPECT_NEAR(rough_time_us(compute_bound), 2 + flops(compute_bound) / 100e6, 1e-6);
  EXPECT_GT(rough_tuning_seconds(compute_bound), rough_tuning_seconds(small));
}

}  // namespace
}  // namespace gemmtune
