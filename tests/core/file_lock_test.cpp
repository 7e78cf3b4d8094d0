#include "gemmtune/core/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FileLocks : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("file_lock_" + std::to_string(::getpid()));
  const std::filesystem::path file_ = folder_ / "count";
};

/// Each replaces the file that the others wait for.
TEST_F(FileLocks, WritersThatReplaceTheFileTakeTurns) {
  constexpr int threads = 8;
  constexpr int turns = 20;
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i)
    writers.emplace_back([&] {
      for (int turn = 0; turn < turns; ++turn) {
        const FileLock lock(file_, seconds(60));
        write_file_atomically(file_, read_file(file_) + "x");
      }
    });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(read_file(file_).size(), std::size_t{threads * turns});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "something was left behind";
}

TEST_F(FileLocks, LinksAreFollowed) {
  std::filesystem::create_symlink("count", folder_ / "link");
  const FileLock lock(file_, seconds(1));
  EXPECT_THROW(FileLock(folder_ / "link", milliseconds(20)), Error);
}

TEST_F(FileLocks, PatienceEnds) {
  const int held = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_THROW(FileLock(file_, milliseconds(20)), Error);
  ::close(held);
  const FileLock lock(file_, milliseconds(20));
}

TEST_F(FileLocks, SaysWhichFileCannotBeOpened) {
  try {
    const FileLock lock(folder_ / "nowhere" / "f", seconds(1));
    ADD_FAILURE() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), (folder_ / "nowhere" / "f").string() + ": No such file or directory");
  }
}

}  // namespace
}  // namespace gemmtune
