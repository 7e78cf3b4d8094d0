#include "gemmtune/tune/shape_order.h"

#include <gtest/gtest.h>

#include <string>

namespace gemmtune {
namespace {

using Order = std::vector<std::size_t>;

Shape shape(const std::string& problem, double weight = 1) {
  return {.problem = parse_problem(problem), .weight = weight};
}

TEST(BySaving, TakesTheOftenCalledFirst) {
  const std::vector<Shape> shapes{shape("64x512x512:a16w16"), shape("64x512x512:a8w8", 100),
                                  shape("65x512x512:a16w16", 10)};
  EXPECT_EQ(by_saving(shapes), (Order{1, 2, 0}));
}

TEST(BySaving, OfShapesCalledAsOftenTakesTheLong) {
  const std::vector<Shape> shapes{shape("1x64x64:a16w16"), shape("4096x8192x8192:a16w16"),
                                  shape("64x4096x4096:a16w16")};
  EXPECT_EQ(by_saving(shapes), (Order{1, 2, 0}));
}

// A long shape saves more per call, and takes longer to tune.
TEST(BySaving, CountsTheTimeThatTuningTakes) {
  const std::vector<Shape> shapes{shape("16384x16384x16384:a16w16"), shape("64x4096x4096:a16w16", 100)};
  EXPECT_EQ(by_saving(shapes), (Order{1, 0}));
}

TEST(BySaving, LeavesEqualsInOrder) {
  const std::vector<Shape> shapes(5, shape("64x512x512:a16w16"));
  EXPECT_EQ(by_saving(shapes), as_listed(5));
  EXPECT_TRUE(by_saving({}).empty());
}

}  // namespace
}  // namespace gemmtune
