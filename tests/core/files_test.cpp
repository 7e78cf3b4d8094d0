#include "gemmtune/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

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

std::filesystem::perms mode_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST_F(Files, LinksAreFollowed) {
  std::filesystem::create_directory(folder_ / "real");
  std::filesystem::create_symlink("real/f", folder_ / "near");
  std::filesystem::create_symlink(folder_ / "near", folder_ / "far");
  EXPECT_EQ(followed(folder_ / "far"), folder_ / "real/f") << "also where there is no file yet";
  write_file_atomically(folder_ / "far", "one");
  write_file_atomically(folder_ / "near", "two");
  EXPECT_EQ(read_file(folder_ / "real" / "f"), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "far"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "near"));
  std::filesystem::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(write_file_atomically(folder_ / "circle", "x"), Error);
}

TEST_F(Files, AFileKeepsItsMode) {
  write_file_atomically(folder_ / "f", "old");
  for (const auto mode : {0664, 0600, 0444}) {
    std::filesystem::permissions(folder_ / "f", static_cast<std::filesystem::perms>(mode));
    write_file_atomically(folder_ / "f", fmt::format("{:o}", mode));
    EXPECT_EQ(mode_of(folder_ / "f"), static_cast<std::filesystem::perms>(mode));
    EXPECT_EQ(read_file(folder_ / "f"), fmt::format("{:o}", mode));
  }
}

/// As with tables that root tunes into somebody's folder.
TEST_F(Files, AFileKeepsItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  write_file_atomically(folder_ / "f", "old");
  ASSERT_EQ(::chown((folder_ / "f").c_str(), 12345, 54321), 0);
  write_file_atomically(folder_ / "f", "new");
  struct stat seen {};
  ASSERT_EQ(::stat((folder_ / "f").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_uid, 12345U);
  EXPECT_EQ(seen.st_gid, 54321U);
}

/// Another user's file in a folder that takes no new files, as a file that is mounted into a container.
TEST_F(Files, AFileThatCannotBeReplacedIsWrittenInPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  write_file_atomically(folder_ / "f", "a long old text");
  ASSERT_EQ(::chmod((folder_ / "f").c_str(), 0666), 0);
  const auto child = ::fork();
  if (child == 0) {
    if (::setresuid(12345, 12345, 12345) != 0) ::_exit(2);
    try {
      write_file_atomically(folder_ / "f", "new");
      ::_exit(0);
    } catch (const Error&) {
      ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder_ / "f"), "new");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, AFifoIsWrittenAndStays) {
  const auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(is_stream(fifo));
  std::string seen;
  std::thread reader([&] { seen = read_file(fifo); });
  write_file_atomically(fifo, "through");
  reader.join();
  EXPECT_EQ(seen, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(Files, ADeviceIsWrittenAndStays) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(write_file_atomically("/dev/full", "x"), Error);
}

/// What `>> log -o /dev/stdout` means.
TEST_F(Files, AnOpenFileIsContinued) {
  write_file_atomically(folder_ / "log", "before\n");
  const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const auto handle = fmt::format("/dev/fd/{}", log);
  EXPECT_TRUE(is_stream(handle));
  write_file_atomically(handle, "after\n");
  ::close(log);
  EXPECT_EQ(read_file(folder_ / "log"), "before\nafter\n");
}

TEST_F(Files, PlainFilesAreNoStreams) {
  write_file_atomically(folder_ / "f", "");
  std::filesystem::create_symlink("f", folder_ / "link");
  for (const auto* name : {"f", "link", "absent", "."}) EXPECT_FALSE(is_stream(folder_ / name)) << name;
}

TEST_F(Files, ReadingHasABound) { EXPECT_THROW(read_file("/dev/zero"), Error); }

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
