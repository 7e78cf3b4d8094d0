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
  TunedRow row_{.cu_num = 2, .problem = parse_problem("1x2x4:a4w4"), .time_us = 1, .kernel_name = "k"};
};

TEST_F(ProfileFileTest, RowsOfEarlierRunsStay) {
  for (const double time_us : {1.0, 2.0}) {
    ProfileFile profile(path_, Format::a4w4);
    row_.time_us = time_us;
    profile.add(row_, {.timing = Timing{.median_us = time_us}});
    profile.write();
  }
  const auto found = lines();
  ASSERT_EQ(found.size(), 4U) << text_;  // a header, two rows, and nothing after the last newline
  EXPECT_NE(found[1], found[2]);
}

/// As after a kill between the profile and the table: the shape is written again, from the trials that were kept.
TEST_F(ProfileFileTest, AMeasurementStandsThereOnce) {
  for (int run = 0; run < 3; ++run) {
    ProfileFile profile(path_, Format::a4w4);
    for (int again = 0; again < 2; ++again) profile.add(row_, {});
    profile.write();
  }
  EXPECT_EQ(lines().size(), 3U) << text_;
}

TEST_F(ProfileFileTest, RefusesAFileOfAnotherKind) {
  write_file_atomically(path_, "M,N,K\n1,2,3\n");
  EXPECT_THROW(ProfileFile(path_, Format::a4w4), Error);
  EXPECT_EQ(read_file(path_), "M,N,K\n1,2,3\n");
}

TEST_F(ProfileFileTest, WithoutAPathNothingIsWritten) {
  ProfileFile profile({}, Format::a4w4);
  profile.add(row_, {});
  profile.write();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace gemmtune
