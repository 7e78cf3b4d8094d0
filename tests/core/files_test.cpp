#include "gemmtune/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("files_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_{};
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string bytes("a\0\r\nb", 5);
  write_file_atomically(folder_ / "f", bytes);
  EXPECT_EQ(read_file(folder_ / "f"), bytes);
  write_file_atomically(folder_ / "f", "new");
  EXPECT_EQ(read_file(folder_ / "f"), "new");
  EXPECT_EQ(file_count(), 1U) << "temporary files were left behind";
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  std::filesystem::create_directories(folder_ / "target" / "inside");  // a folder cannot be replaced by a file
  EXPECT_THROW(write_file_atomically(folder_ / "target", "x"), Error);
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "target"));
  EXPECT_EQ(file_count(), 1U) << "the temporary file was left behind";
}

void make_older(const std::filesystem::path& path, std::chrono::seconds age) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

TEST_F(Files, WhatKilledWritersLeftIsSweptUp) {
  const auto make = [&](const std::string& name, std::chrono::minutes age) {
    std::ofstream(folder_ / name) << "half a fi";
    make_older(folder_ / name, age);
  };
  using std::chrono::minutes;
  make(".f.4711.0.tmp", minutes(60));
  make(".f.4711.12.tmp", minutes(60));
  make(".f.4712.0.tmp", minutes(1));       // its writer may still be at work
  make(".other.4711.0.tmp", minutes(60));  // not ours to judge
  make(".f.notes.tmp", minutes(60));
  make("f.4711.0.tmp", minutes(60));
  std::filesystem::create_directory(folder_ / ".f.4711.13.tmp");
  write_file_atomically(folder_ / "f", "new");
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"f", ".f.4712.0.tmp", ".other.4711.0.tmp", ".f.notes.tmp", "f.4711.0.tmp",
                                         ".f.4711.13.tmp"}));
}

TEST_F(Files, AWriterThatWasStoppedForLongIsNotSweptUp) {
  const auto slow = folder_ / ".f.4711.0.tmp";
  const int descriptor = ::open(slow.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  make_older(slow, std::chrono::hours(1));
  write_file_atomically(folder_ / "f", "new");
  EXPECT_TRUE(std::filesystem::exists(slow));
  ::close(descriptor);
  write_file_atomically(folder_ / "f", "new");
  EXPECT_FALSE(std::filesystem::exists(slow));
}

/// In a folder that everyone may write to, the next names can be guessed.
TEST_F(Files, LinksPlantedInTheWayAreNotFollowed) {
  std::ofstream(folder_ / "victim") << "precious";
  for (int count = 0; count < 200; ++count)
    std::filesystem::create_symlink(folder_ / "victim", folder_ / fmt::format(".f.{}.{}.tmp", ::getpid(), count));
  write_file_atomically(folder_ / "f", "new");
  EXPECT_EQ(read_file(folder_ / "victim"), "precious");
  EXPECT_EQ(read_file(folder_ / "f"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder_ / "f"));
}

TEST_F(Files, ReadingSaysWhichFileAndWhy) {
  try {
    read_file(folder_ / "absent");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_EQ(std::string(error.what()), (folder_ / "absent").string() + ": No such file or directory");
  }
  EXPECT_THROW(read_file(folder_), Error);
}

}  // namespace
}  // namespace gemmtune
