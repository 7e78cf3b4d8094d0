// Opening a store that is not there, not ours, not writable or in use.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "gemmtune/trials/store.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Root may write anywhere, so this gives up root's rights for a while.
class WithoutRootsRights {
 public:
  WithoutRootsRights() { was_root_ = ::geteuid() == 0 && ::seteuid(nobody) == 0; }
  ~WithoutRootsRights() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  static constexpr uid_t nobody = 65534;
  bool was_root_{};
};

TEST(OpenStore, MakesTheFileAndFindsItAgain) {
  const TemporaryFolder folder;
  TrialStore::open(folder.store()).add(invented_problem(), invented_evaluation(), invented_context());
  EXPECT_EQ(TrialStore::open(folder.store()).all().size(), 1U);
}

TEST(OpenStore, TakesAnEmptyFileAsNew) {
  const TemporaryFolder folder;
  write(folder.store(), "");
  EXPECT_TRUE(TrialStore::open(folder.store()).all().empty());
}

TEST(OpenStore, RefusesAMissingFolder) {
  const TemporaryFolder folder;
  const Caught error = caught([&] { TrialStore::open(folder.path() / "no" / "t.sqlite"); });
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.message, HasSubstr("there is no folder"));
}

TEST(OpenStore, RefusesAFolderInItsPlace) {
  const TemporaryFolder folder;
  EXPECT_EQ(caught([&] { TrialStore::open(folder.path()); }).code, ErrorCode::io);
}

TEST(OpenStore, RefusesAFolderThatIsReadOnly) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms{0555});
  Caught error;
  {
    const WithoutRootsRights rights;
    error = caught([&] { TrialStore::open(folder.store()); });
  }
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.message, HasSubstr("Permission denied"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(OpenStore, RefusesAFolderThatWeMayNotLookInto) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::none);
  {
    const WithoutRootsRights rights;
    for (const auto open : {&TrialStore::open, &TrialStore::open_read_only}) {
      EXPECT_EQ(caught([&] { open(folder.store()); }).code, ErrorCode::io);
    }
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(OpenStore, ReadsInAFolderThatIsReadOnly) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "50%?#.sqlite";
  TrialStore::open(path).add(invented_problem(), invented_evaluation(), invented_context());
  fs::permissions(folder.path(), fs::perms{0555});
  {
    const WithoutRootsRights rights;
    EXPECT_EQ(TrialStore::open_read_only(path).all().size(), 1U);
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(OpenStore, RefusesToReadWhatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(caught([&] { TrialStore::open_read_only(folder.store()); }).code, ErrorCode::io);
  EXPECT_FALSE(fs::exists(folder.store()));
}

TEST(OpenStore, RefusesAndSparesWhatIsNoDatabase) {
  const TemporaryFolder folder;
  for (const std::string text : {"M,N,K\n1,2,3\n", "x"}) {
    write(folder.store(), text);
    const Caught error = caught([&] { TrialStore::open(folder.store()); });
    EXPECT_EQ(error.code, ErrorCode::input);
    EXPECT_THAT(error.message, HasSubstr("is not a trials store"));
    EXPECT_EQ(caught([&] { TrialStore::open_read_only(folder.store()); }).code, ErrorCode::input);
    EXPECT_EQ(bytes_of(folder.store()), text);
  }
}

TEST(OpenStore, RefusesADatabaseThatOnlyBeginsLikeOne) {
  const TemporaryFolder folder;
  write(folder.store(), "SQLite format 3" + std::string(5000, 'x'));
  EXPECT_EQ(caught([&] { TrialStore::open(folder.store()); }).code, ErrorCode::input);
}

TEST(OpenStore, RefusesAndSparesAnotherProgramsDatabase) {
  const TemporaryFolder folder;
  SQLite::Database(folder.store().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE bookmarks (a)");
  const std::string before = bytes_of(folder.store());
  EXPECT_EQ(caught([&] { TrialStore::open(folder.store()); }).code, ErrorCode::input);
  EXPECT_EQ(bytes_of(folder.store()), before);
}

TEST(OpenStore, RefusesAStoreOfANewerVersion) {
  const TemporaryFolder folder;
  TrialStore::open(folder.store());
  SQLite::Database(folder.store().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  for (const auto open : {&TrialStore::open, &TrialStore::open_read_only}) {
    const Caught error = caught([&] { open(folder.store()); });
    EXPECT_EQ(error.code, ErrorCode::input);
    EXPECT_THAT(error.message, HasSubstr("schema version 99, made by a newer gemmtune"));
  }
}

TEST(OpenStore, RefusesASecondWriterAndNamesTheFirst) {
  const TemporaryFolder folder;
  {
    const TrialStore first = TrialStore::open(folder.store());
    const Caught error = caught([&] { TrialStore::open(folder.store()); });
    EXPECT_EQ(error.code, ErrorCode::io);
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    EXPECT_THAT(error.message, HasSubstr(fmt::format("in use by process {} on {}", ::getpid(), host.data())));
  }
  EXPECT_NO_THROW(TrialStore::open(folder.store())) << "the lock goes with the store";
}

TEST(OpenStore, RefusesASecondWriterThroughALink) {
  const TemporaryFolder folder;
  const TrialStore first = TrialStore::open(folder.store());
  fs::create_symlink(folder.store(), folder.path() / "link");
  EXPECT_EQ(caught([&] { TrialStore::open(folder.path() / "link"); }).code, ErrorCode::io);
}

// A child that holds the store's lock until it is killed. Returns once the child has it.
pid_t start_holder(const fs::path& store) {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    const TrialStore held = TrialStore::open(store);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte{};
  ::close(ready[1]);
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  return child;
}

TEST(OpenStore, IsFreeAfterItsWriterWasKilled) {
  const TemporaryFolder folder;
  const pid_t child = start_holder(folder.store());
  ASSERT_GT(child, 0);
  EXPECT_THAT(caught([&] { TrialStore::open(folder.store()); }).message, HasSubstr(fmt::format("process {}", child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(TrialStore::open(folder.store()));
}

/// The lock of a killed process is there until the system has taken the process apart.
TEST(OpenStore, IsFreeAtOnceAfterAKill) {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = start_holder(folder.store());
    ASSERT_GT(child, 0);
    ::kill(child, SIGKILL);
    EXPECT_NO_THROW(TrialStore::open(folder.store()));
    ::waitpid(child, nullptr, 0);
  }
}

/// Another process holds the lock, and the file still names one that has ended.
TEST(OpenStore, NamesNoProcessThatHasEnded) {
  const TemporaryFolder folder;
  const pid_t child = start_holder(folder.store());
  ASSERT_GT(child, 0);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::ofstream(folder.store().string() + ".lock") << fmt::format("process {} on {}\n", gone, host.data());
  EXPECT_THAT(caught([&] { TrialStore::open(folder.store()); }).message, HasSubstr("in use by another process"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace gemmtune
