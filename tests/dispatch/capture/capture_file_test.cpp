#include "gemmtune/dispatch/capture/capture_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

class CaptureFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::vector<CapturedProblem> calls(std::int64_t count) const {
    return {{.gfx = "cpu", .cu_num = 2, .problem = {.m = 1, .n = 2, .k = 3}, .calls = count}};
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("capture_file_" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "capture.csv";
};

TEST_F(CaptureFileTest, AddsToWhatIsThere) {
  add_to_capture_file(file, calls(2));
  add_to_capture_file(file, calls(3));
  const auto rows = read_capture(file).rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls, 5);
}

TEST_F(CaptureFileTest, ThreadsOfOneProcessTakeTurns) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) add_to_capture_file(file, calls(1));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read_capture(file).rows.at(0).calls, 40);
}

TEST_F(CaptureFileTest, LeavesAnotherKindOfFileAlone) {
  write_file_atomically(file, "M,N,K\n1,2,3\n");
  EXPECT_THROW(add_to_capture_file(file, calls(1)), Error);
  EXPECT_EQ(read_file(file), "M,N,K\n1,2,3\n");
}

TEST_F(CaptureFileTest, FollowsALink) {
  std::filesystem::create_symlink("real.csv", file);
  add_to_capture_file(folder / "real.csv", calls(1));
  add_to_capture_file(file, calls(1));
  EXPECT_TRUE(std::filesystem::is_symlink(file));
  EXPECT_EQ(read_capture(folder / "real.csv").rows.at(0).calls, 2);
}

TEST_F(CaptureFileTest, GivesUpOnALockThatIsNeverFree) {
  const int held = ::open(file.c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  try {
    add_to_capture_file(file, calls(1));
    ADD_FAILURE() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(std::string(error.what()), file.string() + ": another process does not let go of it");
  }
  EXPECT_EQ(read_file(file), "");
  ::close(held);
}

}  // namespace
}  // namespace gemmtune
