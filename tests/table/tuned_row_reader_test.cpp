#include "gemmtune/table/tuned_row_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace {

using Names = std::vector<std::string>;

const Names a16w16{"cu_num",      "M",       "N",      "K",      "bias", "dtype",      "outdtype", "scaleAB",
                   "bpreshuffle", "libtype", "solidx", "splitK", "us",   "kernelName", "err_ratio"};

TunedRowReader reader_of(const Names& names, Format format) {
  return {names, format, format_defaults(format), "t.csv"};
}

std::vector<CsvField> fields(const std::vector<std::string_view>& texts) {
  std::vector<CsvField> all;
  for (const auto text : texts) all.push_back({text, static_cast<std::int64_t>(all.size()) + 1});
  return all;
}

std::vector<CsvField> line(std::string_view text) { return fields(split(text, ',')); }

/// With empty cells up to the last column.
std::vector<CsvField> filled(std::string_view text) {
  auto cells = line(text);
  while (cells.size() < a16w16.size()) cells.push_back({"", 0});
  return cells;
}

std::string complaint(std::string_view text) {
  auto reader = reader_of(a16w16, Format::a16w16);
  const auto found = reader.read(filled(text));
  return found ? std::to_string(found->cell) + " " + found->reason : "";
}

TEST(TunedRowReader, ReadsValuesWhateverTheirSpelling) {
  auto reader = reader_of(a16w16, Format::a16w16);
  ASSERT_FALSE(reader.read(line("256.0,128.0,512,4096,TRUE,dtypes.fp16,fp32,,1,x,Null,0.0,NaN,k,1%")));
  const auto row = reader.row();
  EXPECT_EQ(row.problem, parse_problem("128x512x4096:f16:f16:f32:bias:packed"));
  EXPECT_EQ(row.cu_num, 256);
  EXPECT_EQ(row.kernel_id, -1) << "Null says nothing";
  EXPECT_EQ(row.split_k, 0);
  EXPECT_FALSE(has_time(row));
  EXPECT_EQ(row.kernel_name, "k");
  EXPECT_EQ(row.err_ratio, 0.01);
}

TEST(TunedRowReader, EmptyCellsSayNothing) {
  auto reader = reader_of(a16w16, Format::a16w16);
  ASSERT_FALSE(reader.read(filled("256,1,512,4096")));
  EXPECT_EQ(reader.row().problem, parse_problem("1x512x4096:bf16:bf16:bf16"));
  EXPECT_EQ(complaint("256,1,512"), "3 K: found '', expected a whole number above 0");
}

TEST(TunedRowReader, ALineWithTooFewCellsIsNoRow) {
  auto reader = reader_of(a16w16, Format::a16w16);
  const auto found = reader.read(line("256,1,512,4096,True,torch.float16,torch.float16,True,True,lib,7,2,3.5,kernel"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cell, 13U);
  EXPECT_EQ(found->reason, "14 cells, the header has 15: the line was cut, or a cell is missing");
}

TEST(TunedRowReader, AnErrorRatioThatIsNoneIsOverEveryLimit) {
  auto reader = reader_of(a16w16, Format::a16w16);
  for (const auto* ratio : {"nan", "NaN", "-1"}) {
    ASSERT_FALSE(reader.read(filled(std::string("256,1,512,4096,,,,,,,,,9,k,") + ratio))) << ratio;
    EXPECT_FALSE(has_error_ratio(reader.row())) << ratio;
  }
  for (const auto* ratio : {"", "Null", "0.9"}) {
    ASSERT_FALSE(reader.read(filled(std::string("256,1,512,4096,,,,,,,,,9,k,") + ratio))) << ratio;
    EXPECT_TRUE(has_error_ratio(reader.row())) << ratio;
  }
}

/// The row of a table with this header.
TunedRow only_row(std::string_view header, Format format, std::string_view cells) {
  Names names;
  for (const auto name : split(header, ',')) names.emplace_back(name);
  auto reader = reader_of(names, format);
  const auto found = reader.read(line(cells));
  EXPECT_FALSE(found) << found->reason;
  return reader.row();
}

TEST(TunedRowReader, FirstGenerationsSayLess) {
  const auto int8 = only_row("M,N,K,kernelId,splitK,us,kernelName", Format::a8w8, "1,100,5120,34,0,8.7,k");
  EXPECT_EQ(int8.problem.w.type, DType::i8);
  EXPECT_EQ(int8.cu_num, 0);
  const auto fp8 = [](std::string_view cu_num) {
    return only_row("cu_num,M,N,K,kernelId,splitK,us,kernelName", Format::a8w8_bpreshuffle,
                    std::string(cu_num) + ",1,512,7168,5,0,12.5,k");
  };
  EXPECT_EQ(fp8("256").problem.w.type, DType::e4m3);
  EXPECT_EQ(fp8("80").problem.w.type, DType::e4m3fnuz);
  EXPECT_EQ(fp8("80").libtype, "ck");
  EXPECT_EQ(only_row("cu_num,M,N,K,q_dtype_w,us,kernelName", Format::a8w8_bpreshuffle, "80,1,2,4,torch.int8,1,k")
                .problem.a.type,
            DType::i8);
  const auto bf16 = only_row("M,N,K,bias,dtype,outdtype,scaleAB,cu_num,libtype,soltimes,kernelName", Format::a16w16,
                             "64,256,5120,False,torch.bfloat16,torch.float32,False,80,asm,8.3,k");
  EXPECT_EQ(bf16.time_us, 8.3);
  const auto blocks = only_row("M,N,K,kernelId,splitK,us,kernelName", Format::a8w8_blockscale, "1,2,4,8,0,9,k");
  EXPECT_EQ(blocks.libtype, "ck");
}

TEST(TunedRowReader, RefusesKeysThatRowsDoNotHaveAndColumnsThatStandTwice) {
  const Names fp4{"gfx", "cu_num", "M", "N", "K", "a_dtype", "libtype", "us", "kernelName"};
  EXPECT_THROW((void)reader_of(fp4, Format::a8w8_blockscale), Error);
  const Names twice{"gfx", "cu_num", "M", "N", "K", "libtype", "us", "kernelName", "us"};
  EXPECT_THROW((void)reader_of(twice, Format::a8w8_blockscale), Error);
  const Names noted{"gfx", "cu_num", "M", "N", "K", "libtype", "us", "kernelName", "note"};
  EXPECT_NO_THROW((void)reader_of(noted, Format::a8w8_blockscale));
}

TEST(TunedRowReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint("256,x,512,4096"), "1 M: found 'x', expected a whole number above 0");
  EXPECT_EQ(complaint("256,0,512,4096"), "1 M: found '0', expected a whole number above 0");
  EXPECT_EQ(complaint("256,1.5,512,4096"), "1 M: found '1.5', expected a whole number above 0");
  EXPECT_EQ(complaint("256,Null,512,4096"), "1 M: found 'Null', expected a whole number above 0");
  EXPECT_EQ(complaint("many,1,512,4096"), "0 cu_num: found 'many', expected a whole number");
  EXPECT_EQ(complaint("256,1,512,4096,maybe"), "4 bias: found 'maybe', expected True or False");
  EXPECT_EQ(complaint("256,1,512,4096,,torch.banana"), "5 dtype: found 'torch.banana', expected the name of a type");
  EXPECT_EQ(complaint("256,1,512,4096,,,,,,,,,fast"), "12 us: found 'fast', expected a number");
  EXPECT_EQ(complaint("256,1,512,4096,,,,,,,,,,,,,more"), "16 found 'more' beyond the last column, err_ratio");
  EXPECT_EQ(complaint("256,1,512,4096,,,,,,,,,,,,,"), "") << "empty cells beyond the last column do not count";
}

TEST(TunedRowReader, ALineLeavesNothingToTheNext) {
  auto reader = reader_of(a16w16, Format::a16w16);
  ASSERT_FALSE(reader.read(line("256,1,512,4096,True,torch.float16,torch.float16,True,True,lib,7,2,3.5,kernel,0.01")));
  ASSERT_TRUE(reader.read(filled("80,2,64,64,True,,,,,other,9,9,x")));
  ASSERT_FALSE(reader.read(filled(",3,64,64")));
  EXPECT_EQ(reader.row(), (TunedRow{.problem = parse_problem("3x64x64:bf16:bf16:bf16")}));
}

TEST(TunedRowReader, RefusesColumnsOfAnotherFormat) {
  EXPECT_THROW((void)reader_of(a16w16, Format::a4w4), Error);
  EXPECT_THROW((void)reader_of({"M", "N", "K"}, Format::a4w4), Error);
  EXPECT_THROW((void)reader_of({}, Format::a4w4), Error);
}

/// Cells of all sorts, including some that no column accepts.
class RandomCells {
 public:
  explicit RandomCells(std::uint64_t seed) : random_(seed) {}

  std::string_view cell() {
    static constexpr std::array<std::string_view, 24> texts{
        "",     "Null", "none", "NAN",   "0",  "1",  "-1",   "16",   "128.0",          "2.5",           "007", "1e3",
        "True", "0.0",  "inf",  "false", "5%", "k1", "bf16", "fp16", "torch.bfloat16", "dtypes.banana", "+5",  "9e99"};
    return texts[random_() % texts.size()];
  }

  std::size_t count() { return 1 + random_() % (a16w16.size() + 2); }

 private:
  std::mt19937_64 random_;
};

/// A row must read the same as the row with each cell in canonical spelling, for which the reader has a fast path.
TEST(TunedRowReader, ReadsTheSameFromCanonicalSpellings) {
  std::int64_t readable = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    RandomCells random(seed);
    std::vector<std::string_view> texts{"256", "16.0", "64", "128"};
    for (const auto count = random.count(); texts.size() < count;) texts.push_back(random.cell());
    while (texts.size() < a16w16.size()) texts.emplace_back();  // a line that lacks cells is no row
    if (seed % 4 == 0) texts[seed % 3] = random.cell();
    std::vector<std::string> canonical;
    for (std::size_t i = 0; i < texts.size(); ++i)
      canonical.push_back(i < a16w16.size() ? canonical_value(sheet_columns(a16w16)[i].kind, texts[i])
                                            : std::string(texts[i]));
    auto reader = reader_of(a16w16, Format::a16w16), again = reader;
    const auto one = reader.read(fields(texts));
    const auto other = again.read(fields({canonical.begin(), canonical.end()}));
    ASSERT_EQ(one.has_value(), other.has_value()) << "seed " << seed;
    if (one) continue;
    ++readable;
    ASSERT_EQ(reader.row(), again.row()) << "seed " << seed;
  }
  EXPECT_GT(readable, 1000);
}

}  // namespace
}  // namespace gemmtune
