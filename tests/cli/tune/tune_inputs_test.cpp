#include "gemmtune/cli/tune/tune_inputs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

const DeviceInfo device{.name = "a GPU", .arch = "sm90", .cu_num = 132};

class TuneInputsTest : public testing::Test {
 protected:
  TuneInputsTest() {
    fs::create_directories(folder_);
    write_file_atomically(folder_ / "shapes.csv", "M,N,K\n1,64,64\n2,64,64\n3,64,64\n");
    write_file_atomically(folder_ / "tuned.csv",
                          std::string(columns) + row(1, "old", "sm90,") + row(2, "new", "sm90,"));
    write_file_atomically(folder_ / "more.csv", std::string(columns) + row(3, "old", "sm90,"));
  }
  ~TuneInputsTest() override { fs::remove_all(folder_); }

  static constexpr std::string_view columns =
      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

  static std::string row(int m, const char* kernel, const std::string& gfx = "") {
    return gfx + "132," + std::to_string(m) + ",64,64,lib,1,0,1.5," + kernel + ",1,1,0\n";
  }

  TuneFlags flags(const std::string& tables) const {
    return {.untune_file = (folder_ / "shapes.csv").string(), .tune_file = tables, .format = "a8w8_blockscale"};
  }

  std::string in(const char* file) const { return (folder_ / file).string(); }

  static std::string judge(const TunedRow& row) {
    return row.libtype == "lib" && row.kernel_name == "old" ? "it is of last year" : "";
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "gemmtune_tune_inputs_test";
};

TEST_F(TuneInputsTest, ShapesWithOutdatedRowsAreTunedAgainAndANoteSaysSo) {
  const auto inputs = read_inputs(flags(in("tuned.csv")), device, judge);
  ASSERT_EQ(inputs.shapes.size(), 2U);
  EXPECT_EQ(inputs.shapes[0].problem.m, 1);
  EXPECT_EQ(inputs.shapes[1].problem.m, 3);
  ASSERT_EQ(inputs.already_tuned.size(), 1U);
  EXPECT_EQ(inputs.already_tuned[0].shape.problem.m, 2);
  EXPECT_EQ(inputs.notes.back(),
            "1 shapes are tuned again, since their rows are outdated, the first old: it is of last year");
}

TEST_F(TuneInputsTest, ARowThatIsNotOutdatedIsEnough) {
  write_file_atomically(folder_ / "more.csv", std::string(columns) + row(1, "new", "sm90,"));
  const auto inputs = read_inputs(flags(in("tuned.csv") + ":" + in("more.csv")), device, judge);
  ASSERT_EQ(inputs.shapes.size(), 1U);
  EXPECT_EQ(inputs.shapes[0].problem.m, 3);
  EXPECT_EQ(inputs.already_tuned.size(), 2U);
}

TEST_F(TuneInputsTest, NothingIsOutdatedForFamiliesThatDoNotJudge) {
  const auto why_outdated = families_judge(Roster());
  EXPECT_EQ(why_outdated({.libtype = "onednn", .kernel_name = "onednn_f32_plain_t1"}), "");
  EXPECT_EQ(why_outdated({.libtype = "asm", .kernel_name = "whatever", .origin = {.library = "asm 1"}}), "");
}

TEST_F(TuneInputsTest, ARowOfAnotherVersionOfItsLibraryIsOutdated) {
  const auto why_outdated = families_judge(Roster());
  TunedRow row{.libtype = "cpu_tile", .kernel_name = "cpu_tile_f32_avx2_m6_n16_t2"};
  row.origin.library = "cpu_tile 0.0.1-old";
  EXPECT_NE(why_outdated(row).find("it was tuned with cpu_tile 0.0.1-old, here is cpu_tile "), std::string::npos)
      << why_outdated(row);
}

TEST_F(TuneInputsTest, ATableWithoutGfxSaysOnlyAmdsDevices) {
  const std::string header = "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  write_file_atomically(folder_ / "seed.csv", header + row(2, "new"));
  EXPECT_THROW((void)read_inputs(flags(in("seed.csv")), device, judge), Error) << "an sm90 with 132 units";
  const auto beside = read_inputs(flags(in("none.csv") + ":" + in("seed.csv")), device, judge);
  EXPECT_EQ(beside.shapes.size(), 3U) << "rows that may be another device's do not count";
  EXPECT_EQ(header_text(beside.table.columns).substr(0, 13), "gfx,cu_num,M,");
  write_file_atomically(folder_ / "header.csv", header);
  EXPECT_EQ(header_text(read_inputs(flags(in("header.csv")), device, judge).table.columns).substr(0, 4), "gfx,");
  const DeviceInfo amd{.name = "an MI300X", .arch = "gfx942", .cu_num = 304};
  EXPECT_EQ(header_text(read_inputs(flags(in("header.csv")), amd, judge).table.columns) + "\n", header);
}

TEST_F(TuneInputsTest, ShapesThatTheTableCannotTellApartAreRefused) {
  write_file_atomically(folder_ / "shapes.csv",
                        "M,N,K,outdtype,bias\n16,64,64,torch.bfloat16,False\n16,64,64,torch.float16,False\n");
  auto asked = flags(in("none.csv"));
  asked.format = "a4w4";
  try {
    (void)read_inputs(asked, device, judge);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("write one of schema gemmtune"), std::string::npos) << error.what();
  }
  asked.format = "a16w16";
  EXPECT_EQ(read_inputs(asked, device, judge).shapes.size(), 2U) << "these tables have the columns";
}

TEST_F(TuneInputsTest, AnEmptyTableInAListIsNoted) {
  write_file_atomically(folder_ / "empty.csv", "");
  const auto inputs = read_inputs(flags(in("none.csv") + ":" + in("empty.csv")), device, judge);
  EXPECT_EQ(inputs.notes.back(), in("empty.csv") + " is empty, and says nothing");
}

}  // namespace
}  // namespace gemmtune
