#include "gemmtune/cli/tune/tune_inputs.h"

#include <gtest/gtest.h>

#include <filesystem>

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
    write_file_atomically(
        folder_ / "tuned.csv",
        "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n" + row(1, "old") + row(2, "new"));
    write_file_atomically(folder_ / "more.csv",
                          "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n" + row(3, "old"));
  }
  ~TuneInputsTest() override { fs::remove_all(folder_); }

  static std::string row(int m, const char* kernel) {
    return "132," + std::to_string(m) + ",64,64,lib,1,0,1.5," + kernel + ",1,1,0\n";
  }

  TuneFlags flags(const std::string& tables) const {
    return {.untune_file = (folder_ / "shapes.csv").string(), .tune_file = tables, .format = "a8w8_blockscale"};
  }

  std::string in(const char* file) const { return (folder_ / file).string(); }

  static std::string judge(const std::string& libtype, const std::string& kernel_name) {
    return libtype == "lib" && kernel_name == "old" ? "it is of last year" : "";
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
  write_file_atomically(folder_ / "more.csv",
                        "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n" + row(1, "new"));
  const auto inputs = read_inputs(flags(in("tuned.csv") + ":" + in("more.csv")), device, judge);
  ASSERT_EQ(inputs.shapes.size(), 1U);
  EXPECT_EQ(inputs.shapes[0].problem.m, 3);
  EXPECT_EQ(inputs.already_tuned.size(), 2U);
}

TEST_F(TuneInputsTest, NothingIsOutdatedForFamiliesThatDoNotJudge) {
  const auto why_outdated = families_judge();
  EXPECT_EQ(why_outdated("onednn", "onednn_f32_plain_t1"), "");
  EXPECT_EQ(why_outdated("asm", "whatever"), "");
}

}  // namespace
}  // namespace gemmtune
