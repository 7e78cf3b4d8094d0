#include "gemmtune/core/files.h"

#include <gtest/gtest.h>

#include <fstream>

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
