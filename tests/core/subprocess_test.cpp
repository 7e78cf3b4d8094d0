#include "gemmtune/core/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

Deadline in(std::chrono::steady_clock::duration time) { return std::chrono::steady_clock::now() + time; }

Subprocess shell(const std::string& script, SubprocessOptions options = {}) {
  return Subprocess({"sh", "-c", script}, std::move(options));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

/// Whether the process runs, and is not just a zombie that waits to be reaped.
bool alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

bool dies_soon(pid_t pid) {
  for (int i = 0; i < 500 && alive(pid); ++i) std::this_thread::sleep_for(milliseconds(10));
  return !alive(pid);
}

pid_t pid_from(Subprocess& child) {
  const ReadResult said = child.read_line(in(seconds(10)));
  return static_cast<pid_t>(parse_int(said.line).value_or(0));
}

std::string why_not_started(const std::vector<std::string>& command) {
  try {
    Subprocess child(command);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    return error.what();
  }
  return "it started";
}

TEST(Subprocess, TalksByLines) {
  Subprocess child({"cat"});
  EXPECT_TRUE(child.write_line("one", in(seconds(5))));
  EXPECT_TRUE(child.write_line("", in(seconds(5))));
  EXPECT_TRUE(child.write_line("three", in(seconds(5))));
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "one");
  const ReadResult empty = child.read_line(in(seconds(5)));
  EXPECT_EQ(empty.status, ReadStatus::line);
  EXPECT_EQ(empty.line, "");
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "three");
  child.close_stdin();
  EXPECT_EQ(child.read_line(in(seconds(5))).status, ReadStatus::closed);
  EXPECT_EQ(child.wait(in(seconds(5))), (ExitStatus{.signalled = false, .code = 0}));
}

TEST(Subprocess, TakesMoreThanTheirPipesHoldBothWays) {
  // cat blocks on its stdout long before it has read all: writing must take in what comes meanwhile.
  Subprocess child({"cat"});
  const std::string big(4 << 20, 'x');
  ASSERT_TRUE(child.write_line(big, in(seconds(30))));
  EXPECT_EQ(child.read_line(in(seconds(30))).line, big);
}

TEST(Subprocess, KeepsOrderOverManyLines) {
  Subprocess child = shell("seq 1 200000");
  for (int i = 1; i <= 200000; ++i) ASSERT_EQ(child.read_line(in(seconds(30))).line, std::to_string(i));
  EXPECT_EQ(child.read_line(in(seconds(5))).status, ReadStatus::closed);
}

TEST(Subprocess, TimesOutWithoutLosingWhatComesLater) {
  Subprocess child = shell("printf half; sleep 1; echo -line");
  EXPECT_EQ(child.read_line(in(milliseconds(50))).status, ReadStatus::timed_out);
  EXPECT_EQ(child.read_line(in(seconds(10))).line, "half-line");
}

TEST(Subprocess, PastDeadlineStillHandsOutWhatIsThere) {
  Subprocess child = shell("printf 'a\\nb\\n'; sleep 5");
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "a");
  EXPECT_EQ(child.read_line(in(seconds(-1))).line, "b");
  EXPECT_EQ(child.read_line(in(seconds(-1))).status, ReadStatus::timed_out);
}

TEST(Subprocess, SaysWhatCameWithoutANewline) {
  Subprocess child = shell("printf '{\"type\":\"eval'");
  const ReadResult result = child.read_line(in(seconds(5)));
  EXPECT_EQ(result.status, ReadStatus::closed);
  EXPECT_EQ(result.line, "{\"type\":\"eval");
}

TEST(Subprocess, EndlessLineIsTooLong) {
  Subprocess child = shell("tr '\\0' x < /dev/zero", {.line_limit_bytes = 100'000});
  const ReadResult result = child.read_line(in(seconds(20)));
  EXPECT_EQ(result.status, ReadStatus::too_long);
  EXPECT_EQ(result.line, std::string(256, 'x'));
}

TEST(Subprocess, DrainsStderrAndKeepsItsEnd) {
  // Far more than a pipe holds: the child would block before its line if nobody read.
  Subprocess child =
      shell("head -c 3000000 /dev/zero | tr '\\0' e >&2; echo the end >&2; echo done", {.stderr_kept_bytes = 100});
  EXPECT_EQ(child.read_line(in(seconds(20))).line, "done");
  ASSERT_TRUE(child.wait(in(seconds(5))));
  EXPECT_EQ(child.stderr_tail(), std::string(92, 'e') + "the end\n");
}

TEST(Subprocess, DescribesEnds) {
  Subprocess exits = shell("exit 3");
  const auto three = exits.wait(in(seconds(5)));
  ASSERT_TRUE(three);
  EXPECT_EQ(three->describe(), "exited with 3");
  EXPECT_EQ(exits.wait(in(seconds(0))), three) << "asked twice";
  Subprocess faults = shell("kill -SEGV $$");
  const auto fault = faults.wait(in(seconds(5)));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->describe(), "killed by signal 11 (SIGSEGV)");
  Subprocess sleeps({"sleep", "1000"});
  EXPECT_EQ(sleeps.wait(in(milliseconds(20))), std::nullopt);
  EXPECT_EQ(sleeps.kill().describe(), "killed by signal 9 (SIGKILL)");
}

TEST(Subprocess, WaitEmptiesPipesThatWouldBlockTheEnd) {
  Subprocess child = shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 4");
  const auto status = child.wait(in(seconds(20)));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 4);
}

TEST(Subprocess, StartFailuresSayWhy) {
  EXPECT_THAT(why_not_started({"no-such-program-anywhere"}), HasSubstr("not found on PATH"));
  EXPECT_THAT(why_not_started({"/no/such/program"}), HasSubstr("No such file or directory"));
  EXPECT_THAT(why_not_started({"/etc/passwd"}), HasSubstr("Permission denied"));
  EXPECT_THAT(why_not_started({"/"}), HasSubstr("Permission denied"));
  EXPECT_THROW(Subprocess({}), Error);
}

TEST(Subprocess, TakesItsGroupWithIt) {
  pid_t grandchild = 0;
  {
    Subprocess child = shell("sleep 1000 & echo $!; wait");
    grandchild = pid_from(child);
    ASSERT_GT(grandchild, 1);
    ASSERT_TRUE(alive(grandchild));
  }
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST(Subprocess, WhatItLeavesRunningDiesWithIt) {
  Subprocess child = shell("sleep 1000 & echo $!");
  const pid_t grandchild = pid_from(child);
  ASSERT_GT(grandchild, 1);
  ASSERT_TRUE(child.wait(in(seconds(5))));
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST(Subprocess, EndIsSeenThoughSomeoneHoldsItsStdout) {
  // The sleeper is once in the process group, which is killed, and once out of its reach.
  for (const char* script : {"sleep 1000 & echo $!", "setsid sleep 1000 & echo $!"}) {
    SCOPED_TRACE(script);
    Subprocess child = shell(script);
    const pid_t left_behind = pid_from(child);
    ASSERT_GT(left_behind, 1);
    EXPECT_EQ(child.read_line(in(seconds(20))).status, ReadStatus::closed);
    EXPECT_EQ(child.wait(in(seconds(5))), (ExitStatus{.signalled = false, .code = 0}));
    ::kill(left_behind, SIGKILL);
  }
}

TEST(Subprocess, DiesWithItsParent) {
  // A parent that is killed outright has no destructor to run.
  std::array<int, 2> fds{};
  ASSERT_EQ(::pipe(fds.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    Subprocess child({"sleep", "1000"});
    const pid_t pid = child.pid();
    if (::write(fds[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(fds[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_TRUE(alive(child));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(dies_soon(child));
  ::close(fds[0]);
  ::close(fds[1]);
}

TEST(Subprocess, WritingToTheDeadIsNoSignal) {
  Subprocess gone = shell("exit 0");
  ASSERT_TRUE(gone.wait(in(seconds(5))));
  EXPECT_FALSE(gone.write_line(std::string(1 << 20, 'x'), in(seconds(5))));
  Subprocess deaf = shell("exec <&-; echo closed; sleep 1000");
  EXPECT_EQ(deaf.read_line(in(seconds(5))).line, "closed");
  EXPECT_FALSE(deaf.write_line("anyone?", in(seconds(5))));
}

TEST(Subprocess, WritingToOneThatDoesNotReadEndsAtTheDeadline) {
  Subprocess child({"sleep", "1000"});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(child.write_line(std::string(4 << 20, 'x'), in(milliseconds(100))));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
  EXPECT_FALSE(child.write_line("more", in(milliseconds(1))));
}

TEST(Subprocess, PassesEnvironmentAndCleanSignals) {
  ::signal(SIGPIPE, SIG_IGN);
  Subprocess child = shell("echo $GEMMTUNE_TEST_WORD; grep SigIgn /proc/self/status; grep SigBlk /proc/self/status",
                           {.environment = {{"GEMMTUNE_TEST_WORD", "two words"}}});
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "two words");
  const auto ignored =
      child.read_line(in(seconds(5))).line;  // the C library leaves signals 32 and 33 as our parent set them
  ASSERT_TRUE(ignored.starts_with("SigIgn:\t")) << ignored;
  EXPECT_EQ(std::stoull(ignored.substr(8), nullptr, 16) & 0x7fffffffU, 0U) << ignored;
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "SigBlk:\t0000000000000000");
}

TEST(Subprocess, LimitsMemory) {
  Subprocess child = shell("ulimit -v", {.memory_limit_bytes = 1 << 30});
  EXPECT_EQ(child.read_line(in(seconds(5))).line, std::to_string((1 << 30) / 1024));
}

TEST(Subprocess, HandsOnNoDescriptorButTheThree) {
  const int inheritable = ::dup(2);
  Subprocess child = shell("ls /proc/self/fd | tr '\\n' ' '; echo");
  // ls itself opens the folder it lists.
  EXPECT_EQ(child.read_line(in(seconds(5))).line, "0 1 2 3 ");
  ::close(inheritable);
}

TEST(Subprocess, LeaksNothing) {
  const std::size_t before = open_descriptors();
  std::vector<pid_t> pids;
  for (int i = 0; i < 20; ++i) {
    Subprocess child = shell(i % 2 == 0 ? "sleep 1000" : "exit 0");
    pids.push_back(child.pid());
    EXPECT_THAT(why_not_started({"/no/such/program"}), HasSubstr("No such file"));
  }
  EXPECT_EQ(open_descriptors(), before);
  for (const pid_t pid : pids) EXPECT_NE(::kill(pid, 0), 0) << "still in the process table, at least as a zombie";
}

TEST(Subprocess, MovesAndEndsTheOneItReplaces) {
  Subprocess first({"sleep", "1000"});
  const pid_t old = first.pid();
  first = Subprocess({"cat"});
  EXPECT_FALSE(alive(old));
  EXPECT_TRUE(first.write_line("still here", in(seconds(5))));
  EXPECT_EQ(first.read_line(in(seconds(5))).line, "still here");
}

TEST(Subprocess, StartsFromManyThreadsAtOnce) {
  // A descriptor that leaked into a sibling would keep cat from seeing the end of its stdin.
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&ended] {
      for (int round = 0; round < 10; ++round) {
        Subprocess child({"cat"});
        child.close_stdin();
        if (child.wait(in(seconds(20)))) ++ended;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 40);
}

}  // namespace
}  // namespace gemmtune
