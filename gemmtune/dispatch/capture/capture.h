// Writes down which problems a process asks for, how often, and how each was found: a workload, to be tuned later.
// The file (table/capture_csv.h) is a shape list. Any number of threads and processes may capture into one file at the
// same time; each adds what it counted since it last wrote, so that nobody's counts are lost or counted twice.
//
// Not: what decides to capture (dispatch/environment.h reads GEMMTUNE_CAPTURE), and not the lookup.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Where AITER_TUNE_GEMM=1 writes, which names no file: in the folder that the process runs in.
inline constexpr std::string_view default_capture_path = "gemmtune_capture.csv";

struct CaptureOptions {
  std::filesystem::path path{};
  std::chrono::milliseconds interval{std::chrono::seconds(30)};  // between writes; 0: only at the end and when told
  std::optional<int> signal{};  // also write when this one arrives, as SIGUSR2; a handler that was there still runs
};

/// A device that a capture knows, by number.
using CaptureDevice = std::uint32_t;

class Capture {
 public:
  /// Nothing is opened yet: a file that cannot be written costs the process one message on stderr, never a failure.
  explicit Capture(CaptureOptions options);

  /// Writes what is left. Also done at exit() where a capture is still alive then.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The number to give with calls for this device. The same for the same device; any thread; takes a lock: ask once.
  [[nodiscard]] CaptureDevice device(std::string_view gfx, std::int64_t cu_num);

  /// Counts one call. Any thread. Allocates only when this thread sees the problem, matched like this, for the first
  /// time, and takes a lock only in a thread's first call.
  void record(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  /// Adds everything counted so far to the file, now. False when it could not be written: the counts are kept for the
  /// next time.
  bool flush() noexcept;

 private:
  class Shared;

  /// What record() does the first time. Apart, so that all other times save no registers for it.
  [[gnu::noinline]] void record_new(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  std::unique_ptr<Shared> shared_;
};

}  // namespace gemmtune
