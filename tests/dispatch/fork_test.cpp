// Forks at every point of a dispatcher's life. A child that hangs is ended by an alarm, and its test fails.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/dispatcher.h"
#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

using std::chrono::milliseconds;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;  // a fork may leave the sanitizer's own locks held in the child
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

/// How often the dispatchers of children look whether their table has changed.
constexpr milliseconds watching = is_sanitized ? milliseconds(300) : milliseconds(2);

/// How often each other thread of this process has gone to sleep, or nothing while one of them runs.
std::optional<std::map<std::string, std::string>> sleeps_of_other_threads() {
  std::map<std::string, std::string> sleeps;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(::gettid())) continue;
    std::ifstream status(task.path() / "status");
    std::string line;
    while (std::getline(status, line)) {
      if (line.starts_with("State:") && line.find('S') == std::string::npos) return {};
      if (line.starts_with("voluntary_ctxt_switches:")) sleeps[task.path().filename()] = line;
    }
  }
  return sleeps;
}

/// In sanitized tests, waits until the watching thread has just gone to sleep, so that it sleeps while this one forks.
/// Otherwise it might be allocating then: the address sanitizer's lock would stay held in the child, where the new
/// thread would wait for it for ever.
void wait_for_sleep() {
  if (!is_sanitized) return;
  const auto before = sleeps_of_other_threads();
  auto now = before;
  while (!now || (now == before && !now->empty())) {
    std::this_thread::sleep_for(milliseconds(1));
    now = sleeps_of_other_threads();
  }
}

std::string table_with(const std::string& kernel) {
  return "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\ngfx950,256,8,64,64,1,0,2," + kernel +
         ",,,\n";
}

/// A gate that one thread closes behind itself until another one opens it.
class Gate {
 public:
  void wait_inside() {
    std::unique_lock lock(mutex_);
    is_reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_reached_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reached_{};
  bool is_open_{};
};

class ForkTest : public testing::Test {
 protected:
  ForkTest() {
    std::filesystem::create_directories(folder);
    write("k1");
  }
  ~ForkTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string& kernel) const { write_file_atomically(folder / "a.csv", table_with(kernel)); }

  DispatcherOptions options(milliseconds interval) const {
    return {.gfx = "gfx950",
            .cu_num = 256,
            .tables = {{folder / "a.csv", {.format = Format::a4w4, .packed = true}}},
            .reload_interval = interval,
            .say = [](const std::string&) {}};
  }

  static std::string kernel(const Dispatcher& dispatcher) {
    const auto answer = dispatcher.lookup(a4w4(8, 64, 64));
    return answer.choice == nullptr ? "" : std::string(answer.choice->kernel_name);
  }

  static bool becomes(const Dispatcher& dispatcher, const std::string& expected) {
    for (int i = 0; i < 4000 && kernel(dispatcher) != expected; ++i) std::this_thread::sleep_for(milliseconds(5));
    return kernel(dispatcher) == expected;
  }

  /// Whether `body` ends with true in a child that is given a minute.
  static bool works_in_child(const std::function<bool()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return ended_well(child);
    ::alarm(60);
    ::_exit(body() ? 0 : 1);
  }

  static bool ended_well(pid_t child) {
    int status{};
    const bool is_waited_for = ::waitpid(child, &status, 0) == child;
    if (WIFSIGNALED(status)) ADD_FAILURE() << "the child was ended by " << strsignal(WTERMSIG(status));
    return is_waited_for && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 ("fork_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(ForkTest, AChildClosesTheDispatcherOfItsParent) {
  for (int i = 0; i < 10; ++i) {
    auto dispatcher = std::make_unique<Dispatcher>(options(is_sanitized ? milliseconds(50) : milliseconds(1)));
    wait_for_sleep();
    EXPECT_TRUE(works_in_child([&] {
      dispatcher.reset();
      return true;
    }));
  }
}

TEST_F(ForkTest, AChildExitsWithADispatcherInAStatic) {
  if (is_sanitized) GTEST_SKIP() << "a child's memory of vanished threads counts as leaked";
  for (int i = 0; i < 20; ++i) {
    static std::unique_ptr<Dispatcher> dispatcher;
    dispatcher = std::make_unique<Dispatcher>(options(milliseconds(1)));
    EXPECT_TRUE(works_in_child([&]() -> bool { std::exit(0); }));
    dispatcher.reset();
  }
}

TEST_F(ForkTest, AChildServesAndReloadsByItself) {
  const Dispatcher dispatcher(options(watching));
  EXPECT_EQ(kernel(dispatcher), "k1");
  wait_for_sleep();
  EXPECT_TRUE(works_in_child([&] {
    if (kernel(dispatcher) != "k1") return false;
    write("k2");
    return becomes(dispatcher, "k2");
  }));
  EXPECT_TRUE(becomes(dispatcher, "k2"));
}

TEST_F(ForkTest, AChildOfAChildToo) {
  const Dispatcher dispatcher(options(watching));
  wait_for_sleep();
  EXPECT_TRUE(works_in_child([&] {
    if (kernel(dispatcher) != "k1") return false;
    wait_for_sleep();
    return works_in_child([&] {
      write("k2");
      return becomes(dispatcher, "k2");
    });
  }));
}

/// The end of the parent rings the doorbell of its own thread: a child that used the same one could take the ring.
TEST_F(ForkTest, TheParentEndsWhileItsChildrenWatch) {
  std::vector<pid_t> children;
  {
    const Dispatcher dispatcher(options(watching));
    for (int i = 0; i < 4; ++i) {
      wait_for_sleep();
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(60);
        ::_exit(becomes(dispatcher, "k2") ? 0 : 1);
      }
      children.push_back(child);
    }
  }
  write("k2");
  for (const auto child : children) EXPECT_TRUE(ended_well(child));
}

/// The watching thread is in the middle of a reload, in the host's callback, and holds what a reload holds.
TEST_F(ForkTest, AChildPollsAlthoughAThreadOfItsParentWasReloading) {
  Gate gate;
  std::atomic<bool> is_armed{true};
  auto gated = options(milliseconds(1));
  gated.say = [&](const std::string&) {
    if (is_armed) gate.wait_inside();
  };
  auto dispatcher = std::make_unique<Dispatcher>(std::move(gated));
  write("k2");
  gate.wait_until_reached();
  is_armed = false;
  EXPECT_TRUE(works_in_child([&] {
    write("k3");
    dispatcher->poll();
    return becomes(*dispatcher, "k3");
  }));
  EXPECT_TRUE(works_in_child([&] {
    dispatcher.reset();
    return true;
  }));
  gate.open();
}

/// A host that starts a process when it is told of a reload.
TEST_F(ForkTest, TheCallbackItselfForks) {
  std::atomic<int> good{0}, forks{0};
  Dispatcher* in_callback{};
  auto forking = options(milliseconds(0));
  forking.say = [&](const std::string&) {
    if (forks++ > 0) return;
    good += works_in_child([&] {
      write("k3");
      in_callback->poll();
      return kernel(*in_callback) == "k3";
    });
  };
  Dispatcher dispatcher(std::move(forking));
  in_callback = &dispatcher;
  write("k2");
  EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  EXPECT_EQ(good, 1);
}

TEST_F(ForkTest, TheLogOfLookupsForks) {
  std::atomic<int> good{0}, forks{0};
  Dispatcher* in_callback{};
  auto logging = options(milliseconds(0));
  logging.log_lookups = true;
  logging.say = [&](const std::string&) {
    if (forks++ > 0) return;
    good += works_in_child([&] { return in_callback->lookup(a4w4(9, 64, 64)).choice != nullptr; });
  };
  Dispatcher dispatcher(std::move(logging));
  in_callback = &dispatcher;
  (void)dispatcher.lookup(a4w4(8, 64, 64));
  EXPECT_EQ(good, 1);
}

/// While threads look up, poll, and make and close dispatchers, and the file changes.
TEST_F(ForkTest, AtAnyTime) {
  if (is_sanitized) GTEST_SKIP() << "a fork may leave the sanitizer's own locks held in the child";
  const auto capture = std::make_shared<Capture>(CaptureOptions{.path = folder / "capture.csv"});
  auto busy = options(milliseconds(1));
  busy.log_lookups = true;
  busy.capture = capture;
  Dispatcher dispatcher(std::move(busy));
  std::atomic<bool> is_over{false};
  const auto breathe = [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); };
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (std::int64_t m = 1; !is_over; ++m % 64 == 0 ? breathe() : void())
      (void)dispatcher.lookup(a4w4(m % 1000 + 1, 64, 64));
  });
  threads.emplace_back([&] {
    for (; !is_over; breathe()) dispatcher.poll();
  });
  threads.emplace_back([&] {
    for (; !is_over; breathe()) (void)kernel(Dispatcher(options(milliseconds(1))));
  });
  threads.emplace_back([&] {
    // A table that never rests for longer than the clock of a file system stands still cannot be read.
    for (int i = 0; !is_over; ++i, std::this_thread::sleep_for(milliseconds(60))) write("kernel_" + std::to_string(i));
  });
  int good = 0;
  constexpr int forks = 40;
  const auto before = dispatcher.generation();
  for (int i = 0; i < forks; ++i, std::this_thread::sleep_for(milliseconds(7)))  // the table changes every few forks
    good += works_in_child([&] {
      dispatcher.poll();
      const bool served = kernel(dispatcher).starts_with("k") && dispatcher.index()->key_count() == 1;
      const Dispatcher another(options(milliseconds(1)));
      return served && capture->flush() && kernel(another).starts_with("k");
    });
  const auto changes = dispatcher.generation();
  is_over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, forks);
  EXPECT_GT(changes, before) << "the table changed meanwhile";
}

TEST(PeriodicFork, AChildRepeatsNothingUntilItResumes) {
  if (is_sanitized) GTEST_SKIP() << "the thread sanitizer cannot follow this";
  std::atomic<int> runs{0};
  auto periodic = std::make_unique<Periodic>(milliseconds(1), [&] { ++runs; });
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    const int then = runs;
    std::this_thread::sleep_for(milliseconds(20));
    if (runs != then) ::_exit(1);
    periodic->resume();
    while (runs == then) std::this_thread::sleep_for(milliseconds(1));
    periodic.reset();
    ::_exit(0);
  }
  int status{};
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace gemmtune
