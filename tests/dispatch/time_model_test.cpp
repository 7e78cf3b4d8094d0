#include "gemmtune/dispatch/time_model.h"

#include <gtest/gtest.h>

#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

TimeModel model_of(const std::vector<TunedRow>& rows) {
  TimeModel model(mi355);
  for (const auto& row : rows) model.add(row, device_key(row.gfx, row.cu_num));
  return model;
}

TEST(TimeModel, OnTheLineBetweenNeighbours) {
  const auto model = model_of({row_of(a4w4(64, 512, 1024), 10), row_of(a4w4(128, 512, 1024), 14)});
  EXPECT_DOUBLE_EQ(model.estimate_us(a4w4(64, 512, 1024)).value(), 10);
  EXPECT_DOUBLE_EQ(model.estimate_us(a4w4(96, 512, 1024)).value(), 12);
}

TEST(TimeModel, BelowTheSmallestRowByTheBytes) {
  const auto model = model_of({row_of(a4w4(64, 4096, 4096), 10)});
  const auto small = model.estimate_us(a4w4(1, 4096, 4096)).value();
  EXPECT_LT(small, 10);
  EXPECT_GT(small, 9) << "the weights are read all the same";
}

TEST(TimeModel, AboveTheLargestRowByTheWork) {
  const auto model = model_of({row_of(a4w4(64, 512, 1024), 10)});
  EXPECT_DOUBLE_EQ(model.estimate_us(a4w4(256, 512, 1024)).value(), 40);
}

TEST(TimeModel, AnotherLayerByTheSpeedOfSimilarRows) {
  const auto model = model_of({row_of(a4w4(4096, 4096, 4096), 100)});
  EXPECT_NEAR(model.estimate_us(a4w4(4096, 8192, 4096)).value(), 200, 1);
}

TEST(TimeModel, TypesAndDevicesAreNotMixed) {
  auto elsewhere = row_of(a4w4(64, 512, 1024), 10);
  elsewhere.gfx = "gfx942";
  elsewhere.cu_num = 304;
  EXPECT_FALSE(model_of({elsewhere}).estimate_us(a4w4(64, 512, 1024)));
  auto bf16 = format_defaults(Format::a16w16);
  bf16.m = bf16.n = bf16.k = 64;
  EXPECT_FALSE(model_of({row_of(a4w4(64, 64, 64), 10)}).estimate_us(bf16));
}

TEST(TimeModel, RowsWithoutATimeTellNothing) {
  EXPECT_FALSE(model_of({row_of(a4w4(64, 512, 1024), 0)}).estimate_us(a4w4(64, 512, 1024)));
  const auto model = model_of({row_of(a4w4(64, 512, 1024), 10), row_of(a4w4(64, 512, 1024), 8)});
  EXPECT_DOUBLE_EQ(model.estimate_us(a4w4(64, 512, 1024)).value(), 8);
}

}  // namespace
}  // namespace gemmtune
