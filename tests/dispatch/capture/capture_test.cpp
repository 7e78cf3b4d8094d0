#include "gemmtune/dispatch/capture/capture.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <vector>

#include "tests/dispatch/captures.h"

namespace gemmtune {
namespace {

using CaptureTest = CapturesTest;
using Calls = std::map<std::int64_t, std::int64_t>;
constexpr auto patience = std::chrono::seconds(20);

template <typename Condition>
bool comes_true(Condition condition) {
  for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST_F(CaptureTest, WritesWhatWasAskedForWhenItEnds) {
  {
    Capture capture(without_timer());
    const auto here = capture.device("gfx942", 304);
    const Choice choice{.time_us = 4.5};
    for (int i = 0; i < 3; ++i)
      capture.record(here, problem_of(20), {.match = MatchKind::padded_fine, .tuned_m = 32, .choice = &choice});
    capture.record(here, problem_of(20), {});
    capture.record(capture.device("gfx942", 80), problem_of(7), {});
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(capture_text(read_capture(file)),
            "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n"
            "gfx942,80,7,64,128,7x64x128:bf16:bf16:bf16,fallback,1,0,0.0\n"
            "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16,padded_fine,3,32,4.5\n"
            "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16,fallback,1,0,0.0\n");
}

TEST_F(CaptureTest, KeepsLayoutsAndEpiloguesApart) {
  {
    Capture capture(without_timer());
    const auto here = capture.device("gfx942", 304);
    for (int i = 0; i < 2; ++i)
      for (const auto* text : {"20x64x128:a16w16", "20x64x128:a16w16:nn:ldc=96:bias:silu", "20x64x128:a16w16:residual"})
        capture.record(here, parse_problem(text), {});
    auto contiguous = parse_problem("20x64x128:a16w16");
    contiguous.layout.a_strides.leading_dimension = 128;
    capture.record(here, contiguous, {});
  }
  EXPECT_EQ(capture_text(read_capture(file)),
            "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n"
            "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16,fallback,3,0,0.0\n"
            "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16:residual,fallback,2,0,0.0\n"
            "gfx942,304,20,64,128,20x64x128:bf16:bf16:bf16:nn:ldc=96:bias:silu,fallback,2,0,0.0\n");
}

TEST_F(CaptureTest, ADeviceHasOneNumber) {
  Capture capture(without_timer());
  const auto here = capture.device("gfx942", 304);
  EXPECT_NE(capture.device("gfx942", 80), here);
  EXPECT_NE(capture.device("gfx950", 304), here);
  EXPECT_EQ(capture.device("gfx942", 304), here);
}

TEST_F(CaptureTest, WritesNothingWhenNothingWasAsked) {
  {
    Capture capture(without_timer());
    EXPECT_TRUE(capture.flush());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(CaptureTest, EachFlushAddsOnlyWhatIsNew) {
  Capture capture(without_timer());
  const auto here = capture.device("cpu", 2);
  for (std::int64_t expected = 1; expected <= 3; ++expected) {
    capture.record(here, problem_of(1), {});
    EXPECT_TRUE(capture.flush());
    EXPECT_TRUE(capture.flush());
    EXPECT_EQ(calls(), (Calls{{1, expected}}));
  }
}

TEST_F(CaptureTest, ThreadsCountTogether) {
  constexpr std::int64_t threads = 8, rounds = 200, problems = 50;
  {
    Capture capture({.path = file, .interval = std::chrono::milliseconds(1)});
    const auto here = capture.device("cpu", 2);
    std::vector<std::thread> callers;
    for (std::int64_t i = 0; i < threads; ++i)
      callers.emplace_back([&] {
        for (std::int64_t round = 0; round < rounds; ++round)
          for (std::int64_t m = 1; m <= problems; ++m) capture.record(here, problem_of(m), {});
      });
    for (auto& caller : callers) caller.join();
  }
  for (const auto& [m, count] : calls()) EXPECT_EQ(count, threads * rounds) << m;
  EXPECT_EQ(calls().size(), static_cast<std::size_t>(problems));
}

TEST_F(CaptureTest, ThreadsThatComeAndGoLoseNothing) {
  {
    Capture capture(without_timer());
    const auto here = capture.device("cpu", 2);
    for (std::int64_t i = 0; i < 100; ++i) std::thread([&] { capture.record(here, problem_of(1 + i % 3), {}); }).join();
  }
  EXPECT_EQ(calls(), (Calls{{1, 34}, {2, 33}, {3, 33}}));
}

TEST_F(CaptureTest, AThreadMayServeTwoCaptures) {
  {
    Capture one(without_timer());
    Capture two({.path = folder / "other.csv", .interval = std::chrono::milliseconds(0)});
    const auto in_one = one.device("cpu", 2);
    const auto in_two = two.device("cpu", 2);
    for (int i = 0; i < 10; ++i) {
      one.record(in_one, problem_of(1), {});
      two.record(in_two, problem_of(2), {});
    }
  }
  EXPECT_EQ(calls(), (Calls{{1, 10}}));
  EXPECT_EQ(read_capture(folder / "other.csv").rows.at(0).calls, 10);
}

/// A new capture may be at the memory address of an old one.
TEST_F(CaptureTest, ACaptureIsNotMistakenForAnEarlierOne) {
  for (int i = 0; i < 20; ++i) {
    const auto capture = std::make_unique<Capture>(without_timer());
    capture->record(capture->device("cpu", 2), problem_of(5), {});
  }
  EXPECT_EQ(calls(), (Calls{{5, 20}}));
}

TEST_F(CaptureTest, TheTimerWrites) {
  Capture capture({.path = file, .interval = std::chrono::milliseconds(5)});
  capture.record(capture.device("cpu", 2), problem_of(1), {});
  EXPECT_TRUE(comes_true([&] { return calls() == Calls{{1, 1}}; }));
}

TEST_F(CaptureTest, ASignalWritesWhereItWasAskedFor) {
  auto options = without_timer();
  options.signal = SIGUSR2;
  Capture capture(options);
  capture.record(capture.device("cpu", 2), problem_of(1), {});
  ::raise(SIGUSR2);
  EXPECT_TRUE(comes_true([&] { return calls() == Calls{{1, 1}}; }));
}

volatile std::sig_atomic_t host_signals = 0;

TEST_F(CaptureTest, TheHostsHandlerStillRunsAndIsPutBack) {
  host_signals = 0;
  std::signal(SIGUSR2, [](int) { host_signals = host_signals + 1; });
  {
    auto options = without_timer();
    options.signal = SIGUSR2;
    Capture capture(options);
    capture.record(capture.device("cpu", 2), problem_of(1), {});
    ::raise(SIGUSR2);
    EXPECT_EQ(host_signals, 1);
    EXPECT_TRUE(comes_true([&] { return !calls().empty(); }));
  }
  ::raise(SIGUSR2);
  EXPECT_EQ(host_signals, 2);
  std::signal(SIGUSR2, SIG_DFL);
}

TEST_F(CaptureTest, NoHandlerIsSetUnlessAsked) {
  Capture capture(without_timer());
  struct sigaction now {};
  ASSERT_EQ(::sigaction(SIGUSR2, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

/// A folder that does not exist stands for every path that cannot be written: root may write even to read-only folders.
TEST_F(CaptureTest, WhatCannotBeWrittenIsSaidOnceAndKept) {
  const auto late = folder / "late";
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  {
    Capture capture({.path = late / "capture.csv", .interval = std::chrono::milliseconds(0)});
    capture.record(capture.device("cpu", 2), problem_of(1), {});
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(capture.flush());
    std::filesystem::create_directory(late);
    capture.record(capture.device("cpu", 2), problem_of(1), {});
    EXPECT_TRUE(capture.flush());
  }
  EXPECT_EQ(read_capture(late / "capture.csv").rows.at(0).calls, 2);
  const auto said = testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout();
  const auto first = said.find("No such file or directory: the counts stay in memory");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("No such file", first + 1), std::string::npos) << said;
}

TEST_F(CaptureTest, AReadOnlyFolderIsSaidOnce) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Capture capture(without_timer());
  capture.record(capture.device("cpu", 2), problem_of(1), {});
  EXPECT_FALSE(capture.flush());
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace gemmtune
