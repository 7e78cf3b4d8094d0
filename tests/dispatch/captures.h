// What the tests of captures share: a temporary folder, and the sums of a file's counts.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "gemmtune/dispatch/capture/capture.h"
#include "gemmtune/table/capture_csv.h"

namespace gemmtune {

class CapturesTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder);
  }

  static Problem problem_of(std::int64_t m) { return {.m = m, .n = 64, .k = 128}; }

  /// The number of calls for each M.
  std::map<std::int64_t, std::int64_t> calls() const {
    std::map<std::int64_t, std::int64_t> sums;
    for (const auto& row : read_capture(file).rows) sums[row.problem.m] += row.calls;
    return sums;
  }

  CaptureOptions without_timer() const { return {.path = file, .interval = std::chrono::milliseconds(0)}; }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("captures_" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "capture.csv";
};

}  // namespace gemmtune
