// A disk that fills up while trials are written.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "gemmtune/trials/store.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

constexpr int most_trials = 20'000;

// Adds trials until the store refuses one; returns how many were added.
int add_until_refused(TrialStore& store) {
  for (int number = 0; number < most_trials; ++number) {
    const Caught error =
        caught([&] { store.add(invented_problem(), invented_evaluation(number), invented_context()); });
    if (!error.code) continue;
    EXPECT_EQ(*error.code, ErrorCode::io) << error.message;
    EXPECT_NE(error.message.find("trials.sqlite"), std::string::npos) << error.message;
    return number;
  }
  ADD_FAILURE() << "the disk never filled up";
  return most_trials;
}

void expect_intact(const TrialStore& store, int added) {
  const auto trials = store.all();
  ASSERT_EQ(trials.size(), static_cast<std::size_t>(added));
  for (int i = 0; i < added; ++i) EXPECT_EQ(trials[i].evaluation.candidate, invented_candidate(i));
}

// In a child, since a limit on file sizes would hit this process for good.
int exit_code_of_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status{};
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FullDisk, IsAnErrorAndTheStoreStaysIntact) {
  const TemporaryFolder folder;
  const int code = exit_code_of_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    TrialStore store = TrialStore::open(folder.store());
    constexpr rlimit limit{400'000, 400'000};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int added = add_until_refused(store);
    EXPECT_GT(added, 10);
    expect_intact(store, added);
  });
  EXPECT_EQ(code, 0);
  TrialStore store = TrialStore::open(folder.store());
  const int kept = static_cast<int>(store.all().size());
  EXPECT_GT(kept, 10);
  expect_intact(store, kept);
  EXPECT_NO_THROW(store.add(invented_problem(), invented_evaluation(kept), invented_context()))
      << "when there is room again";
}

// A file system of half a megabyte, when we may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder) : folder_(folder) {
    mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=512k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_{};
};

TEST(FullDisk, OfAFileSystemIsAnErrorAndTheStoreStaysIntact) {
  const TemporaryFolder folder;
  const SmallDisk disk(folder.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a tmpfs";
  int added = 0;
  {
    TrialStore store = TrialStore::open(folder.store());
    added = add_until_refused(store);
    EXPECT_GT(added, 10);
    expect_intact(store, added);
  }
  expect_intact(TrialStore::open_read_only(folder.store()), added);
}

}  // namespace
}  // namespace gemmtune
