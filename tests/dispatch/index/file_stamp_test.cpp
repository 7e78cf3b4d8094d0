#include "gemmtune/dispatch/index/file_stamp.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

class FileStampTest : public testing::Test {
 protected:
  ~FileStampTest() override { std::filesystem::remove(path); }

  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "file_stamp_test.txt";
};

TEST_F(FileStampTest, OfAFileThatIsNotThere) { EXPECT_EQ(file_stamp(path), FileStamp{}); }

TEST_F(FileStampTest, StaysWhileTheFileDoes) {
  write_file_atomically(path, "one");
  EXPECT_TRUE(file_stamp(path).exists);
  EXPECT_EQ(file_stamp(path).size_bytes, 3);
  EXPECT_EQ(file_stamp(path), file_stamp(path));
}

TEST_F(FileStampTest, AFileRenamedOverItIsAnother) {
  write_file_atomically(path, "one");
  const auto before = file_stamp(path);
  const auto time = std::filesystem::last_write_time(path);
  write_file_atomically(path, "two");
  std::filesystem::last_write_time(path, time);
  EXPECT_NE(file_stamp(path), before);  // although size and time are the same
}

TEST_F(FileStampTest, AFileWrittenInPlaceHasAnotherTime) {
  write_file_atomically(path, "one");
  const auto before = file_stamp(path);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_NE(file_stamp(path), before);
}

}  // namespace
}  // namespace gemmtune
