#include "gemmtune/table/dialect.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace gemmtune {
namespace {

TEST(Dialect, EveryDefaultColumnIsKnownAndStandsOnce) {
  for (const auto format : all_formats()) {
    std::set<Field> fields;
    for (const auto& column : default_columns(format)) {
      EXPECT_NE(column.field, Field::unknown) << column.name;
      EXPECT_TRUE(fields.insert(column.field).second) << to_string(format) << " has two of " << column.name;
    }
  }
}

TEST(Dialect, KeysComeFirst) {
  for (const auto format : all_formats()) {
    bool in_keys = true;
    for (const auto& column : default_columns(format)) {
      EXPECT_TRUE(in_keys || !is_key(column.field)) << to_string(format) << " " << column.name;
      in_keys = in_keys && is_key(column.field);
    }
  }
}

TEST(Dialect, SpellingsOfOneFieldAreOne) {
  const auto columns = columns_from_header({"errRatio", "err_ratio", "kernelId", "solidx", "m", "M", "b", "_tag", ""});
  const std::vector<Field> fields{Field::err_ratio, Field::err_ratio, Field::kernel_id, Field::kernel_id, Field::m,
                                  Field::m,         Field::batch,     Field::unknown,   Field::unknown};
  for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(columns[i].field, fields[i]) << columns[i].name;
  EXPECT_EQ(header_text(columns), "errRatio,err_ratio,kernelId,solidx,m,M,b,_tag,");
}

/// Numbers from AITER's own tables.
TEST(Dialect, NumbersAreWrittenAsAiterWritesThem) {
  const TunedRow row{.problem = parse_problem("1x512x4096:a4w4"), .time_us = 5.404912, .err_ratio = 0.00004};
  EXPECT_EQ(cell_text(Field::time_us, row), "5.4049");
  EXPECT_EQ(cell_text(Field::tflops, row), "0.78");
  EXPECT_EQ(cell_text(Field::bandwidth, row), "194.57");
  EXPECT_EQ(cell_text(Field::err_ratio, row), "0.0");
  EXPECT_EQ(cell_text(Field::time_us, {.time_us = 21}), "21.0");
  EXPECT_EQ(cell_text(Field::time_us, {.time_us = -1}), "-1.0");
  EXPECT_EQ(cell_text(Field::time_us, {.time_us = std::numeric_limits<double>::infinity()}), "inf");
  EXPECT_EQ(cell_text(Field::tflops, {.problem = row.problem, .time_us = -1}), "0.0");
}

TEST(Dialect, TypesAndFlagsAreWrittenAsPythonPrintsThem) {
  const TunedRow row{.problem = parse_problem("1x2x4:e4m3/tensor:e4m3/tensor:f32:bias")};
  EXPECT_EQ(cell_text(Field::dtype, row), "torch.float8_e4m3fn");
  EXPECT_EQ(cell_text(Field::outdtype, row), "torch.float32");
  EXPECT_EQ(cell_text(Field::bias, row), "True");
  EXPECT_EQ(cell_text(Field::scale_ab, row), "True");
  EXPECT_EQ(cell_text(Field::bpreshuffle, row), "False");
}

TEST(Dialect, CellsReadBackWhatTheyWrote) {
  const TunedRow row{.gfx = "gfx950",
                     .cu_num = 256,
                     .problem = parse_problem("5x6x8:e4m3/tensor:e4m3/tensor:f16:batch=3:bias:packed"),
                     .libtype = "onednn",
                     .kernel_id = 12,
                     .split_k = 2,
                     .time_us = 3.25,
                     .kernel_name = "onednn_x",
                     .err_ratio = 0.125,
                     .origin = {.low_us = 3,
                                .high_us = 3.5,
                                .dispersion = 0.01,
                                .samples = 9,
                                .library = "onednn 3",
                                .device_name = "a card",
                                .driver = "1.2",
                                .policy = "confirm",
                                .date = "2026-11-27T21:41:31Z"}};
  TunedRow read{};
  for (auto field = Field::gfx; field != Field::unknown; field = static_cast<Field>(static_cast<int>(field) + 1))
    ASSERT_TRUE(parse_cell(field, cell_text(field, row), read)) << static_cast<int>(field);
  EXPECT_EQ(read, row);
}

TEST(Dialect, RefusesCellsThatSayNothing) {
  TunedRow row{};
  EXPECT_FALSE(parse_cell(Field::m, "many", row));
  EXPECT_FALSE(parse_cell(Field::time_us, "fast", row));
  EXPECT_FALSE(parse_cell(Field::q_dtype_w, "torch.banana", row));
  EXPECT_FALSE(parse_cell(Field::bias, "", row));
  EXPECT_TRUE(parse_cell(Field::unknown, "anything", row));
}

}  // namespace
}  // namespace gemmtune
