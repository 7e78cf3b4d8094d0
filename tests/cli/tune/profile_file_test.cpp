#include "gemmtune/cli/tune/profile_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

class ProfileFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string_view> lines() {
    text_ = read_file(path_);
    return split(text_, '\n');
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gemmtune_profile_" + std::to_string(::getpid()));
  std::filesystem::path path_ = folder_ / "profile.csv";
  std::string text_;
  DeviceInfo device_{.arch = "x86-64-avx2", .cu_num = 2};
  TunedRow row_{.cu_num = 2, .problem = parse_problem("1x2x4:a4w4"), .time_us = 1, .kernel_name = "k"};
};

TEST_F(ProfileFileTest, RowsOfEarlierRunsStay) {
  for (const auto time_us : {1.0, 2.0, 2.0}) {
    ProfileFile profile(path_, {Format::a4w4}, device_);
    row_.time_us = time_us;
    profile.add(row_, {});
    profile.write();
  }
  ASSERT_EQ(lines().size(), 4U) << text_;  // a header, two rows, and nothing after the last newline
}

TEST_F(ProfileFileTest, TwoRunsAtTheSameTimeKeepEachOthersRows) {
  ProfileFile a(path_, {Format::a4w4}, device_);
  ProfileFile b(path_, {Format::a4w4}, device_);
  for (auto* profile : {&a, &b, &a}) {
    row_.time_us += 1;
    profile->add(row_, {});
    profile->write();
  }
  EXPECT_EQ(lines().size(), 5U) << text_;
}

TEST_F(ProfileFileTest, AddsToAProfileOfAiters) {
  const std::string aiters =
      "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "gfx950,256,1,2,4,21,0,5.0,asm,0.1,0.1,0.0";
  write_file_atomically(path_, aiters);
  ProfileFile profile(path_, {Format::a4w4}, device_);
  row_.gfx = device_.arch;
  profile.add(row_, {.outcome = Outcome::unsupported});
  profile.write();
  EXPECT_EQ(read_file(path_), aiters + "\nx86-64-avx2,2,1,2,4,-1,0,-1.0,k,0.0,0.0,1.0\n");
}

/// Its rows would be read as those of an AMD device.
TEST_F(ProfileFileTest, RefusesAProfileThatCannotSayTheDevice) {
  write_file_atomically(path_, "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n");
  EXPECT_THROW(ProfileFile(path_, {Format::a4w4}, device_), Error);
  ProfileFile(path_, {Format::a4w4}, {.arch = "gfx950", .cu_num = 256});
}

TEST_F(ProfileFileTest, RefusesAFileOfAnotherKind) {
  write_file_atomically(path_, "M,N,K\n1,2,3\n");
  EXPECT_THROW(ProfileFile(path_, {Format::a4w4}, device_), Error);
  EXPECT_EQ(read_file(path_), "M,N,K\n1,2,3\n");
}

TEST_F(ProfileFileTest, WithoutAPathNothingIsWritten) {
  ProfileFile profile({}, {Format::a4w4}, device_);
  profile.add(row_, {});
  profile.write();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace gemmtune
