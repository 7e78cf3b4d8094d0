// Captures of several processes into one file: forked, killed, ended by exit().
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "tests/dispatch/captures.h"

namespace gemmtune {
namespace {

using Calls = std::map<std::int64_t, std::int64_t>;

#if defined(__SANITIZE_THREAD__)
constexpr bool children_may_have_threads = false;  // the thread sanitizer takes them for the parent's threads
#elif defined(__has_feature)
constexpr bool children_may_have_threads = !__has_feature(thread_sanitizer);
#else
constexpr bool children_may_have_threads = true;
#endif

class CaptureProcesses : public CapturesTest {
 protected:
  /// Runs `body` in a child, which then ends at once, without running destructors of the objects that it inherited.
  static pid_t start(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    body();
    ::_exit(HasFailure() ? 1 : 0);
  }

  static int status_of(pid_t child) {
    int status{};
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  void expect_success(pid_t child) {
    const int status = status_of(child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
};

TEST_F(CaptureProcesses, ManyAtOnceLoseNothing) {
  constexpr std::int64_t processes = 12, rounds = 30;
  std::vector<pid_t> children;
  for (std::int64_t i = 0; i < processes; ++i)
    children.push_back(start([&] {
      Capture capture({.path = file, .interval = std::chrono::milliseconds(1)});
      const auto here = capture.device("cpu", 2);
      for (std::int64_t round = 0; round < rounds; ++round) {
        for (std::int64_t m = 1; m <= 5; ++m) capture.record(here, problem_of(m), {});
        if (round % 10 == 0) capture.flush();
      }
    }));
  for (const auto child : children) expect_success(child);
  constexpr auto each = processes * rounds;
  EXPECT_EQ(calls(), (Calls{{1, each}, {2, each}, {3, each}, {4, each}, {5, each}}));
}

TEST_F(CaptureProcesses, AChildDoesNotWriteWhatItsParentCounted) {
  {
    Capture capture(without_timer());
    const auto here = capture.device("cpu", 2);
    capture.record(here, problem_of(1), {});
    expect_success(start([&] { EXPECT_TRUE(capture.flush()); }));  // the child counted no call of its own
    expect_success(start([&] {
      capture.record(here, problem_of(1), {});
      capture.record(here, problem_of(2), {});
      if (!capture.flush()) ::_exit(1);
    }));
    EXPECT_EQ(calls(), (Calls{{1, 1}, {2, 1}}));  // what the child counted
    capture.record(here, problem_of(1), {});
  }
  EXPECT_EQ(calls(), (Calls{{1, 3}, {2, 1}}));
}

TEST_F(CaptureProcesses, ChildrenOfChildrenCountForThemselves) {
  {
    Capture capture(without_timer());
    const auto here = capture.device("cpu", 2);
    capture.record(here, problem_of(1), {});
    expect_success(start([&] {
      capture.record(here, problem_of(2), {});
      expect_success(start([&] {
        capture.record(here, problem_of(3), {});
        if (!capture.flush()) ::_exit(1);
      }));
      if (!capture.flush()) ::_exit(1);
    }));
  }
  EXPECT_EQ(calls(), (Calls{{1, 1}, {2, 1}, {3, 1}}));
}

TEST_F(CaptureProcesses, AChildsTimerAndThreadsWork) {
  if (!children_may_have_threads) GTEST_SKIP() << "the thread sanitizer cannot follow this";
  Capture capture({.path = file, .interval = std::chrono::milliseconds(2)});
  const auto here = capture.device("cpu", 2);
  expect_success(start([&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) capture.record(here, problem_of(1), {});
      });
    for (auto& thread : threads) thread.join();
    for (int i = 0; i < 2000 && calls() != Calls{{1, 400}}; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }));
  EXPECT_EQ(calls(), (Calls{{1, 400}}));
}

/// Forks while the parent's threads count and its timer writes.
TEST_F(CaptureProcesses, ForkingAtAnyTimeIsSafe) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a fork may leave the address sanitizer's allocator locked in the child";
#endif
  constexpr std::int64_t children = 30;
  std::atomic<bool> ending{false};
  std::atomic<std::int64_t> counted{0};
  {
    Capture capture({.path = file, .interval = std::chrono::milliseconds(1)});
    const auto here = capture.device("cpu", 2);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        for (std::int64_t m = 1; !ending; m = m % 500 + 1) {
          capture.record(here, problem_of(m), {});
          ++counted;
        }
      });
    for (std::int64_t i = 0; i < children; ++i)
      expect_success(start([&] {
        capture.record(here, problem_of(1000), {});
        if (!capture.flush()) ::_exit(1);
      }));
    ending = true;
    for (auto& thread : threads) thread.join();
  }
  std::int64_t sum = 0;
  for (const auto& [m, count] : calls()) sum += m == 1000 ? 0 : count;
  EXPECT_EQ(sum, counted);
  EXPECT_EQ(calls()[1000], children);
}

TEST_F(CaptureProcesses, BeingKilledLosesOnlyWhatWasNotWritten) {
  const auto child = start([&] {
    Capture capture(without_timer());
    const auto here = capture.device("cpu", 2);
    capture.record(here, problem_of(1), {});
    capture.flush();
    capture.record(here, problem_of(2), {});
    ::kill(::getpid(), SIGKILL);
  });
  const int status = status_of(child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(calls(), (Calls{{1, 1}}));
  Capture capture(without_timer());  // the lock went with the process
  capture.record(capture.device("cpu", 2), problem_of(1), {});
  EXPECT_TRUE(capture.flush());
  EXPECT_EQ(calls(), (Calls{{1, 2}}));
}

TEST_F(CaptureProcesses, ExitWritesWhatNobodyDestroyed) {
  const auto child = start([&] {
    static Capture* capture{};  // reachable, so no leak to report
    capture = new Capture(without_timer());
    capture->record(capture->device("cpu", 2), problem_of(1), {});
    std::exit(0);
  });
  expect_success(child);
  EXPECT_EQ(calls(), (Calls{{1, 1}}));
}

TEST_F(CaptureProcesses, AStaticCaptureIsWrittenOnce) {
  const auto child = start([&] {
    static std::unique_ptr<Capture> capture;
    capture = std::make_unique<Capture>(without_timer());
    capture->record(capture->device("cpu", 2), problem_of(1), {});
    std::exit(0);
  });
  expect_success(child);
  EXPECT_EQ(calls(), (Calls{{1, 1}}));
}

TEST_F(CaptureProcesses, ASignalToAChildDoesNotWakeItsParent) {
  if (!children_may_have_threads) GTEST_SKIP() << "the thread sanitizer cannot follow this";
  auto options = without_timer();
  options.signal = SIGUSR2;
  Capture capture(options);
  const auto here = capture.device("cpu", 2);
  capture.record(here, problem_of(1), {});
  expect_success(start([&] {
    ::raise(SIGUSR2);
    capture.record(here, problem_of(2), {});
    ::raise(SIGUSR2);
    for (int i = 0; i < 2000 && calls().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }));
  EXPECT_EQ(calls(), (Calls{{2, 1}}));
}

}  // namespace
}  // namespace gemmtune
