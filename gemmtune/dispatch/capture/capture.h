// Records which problems a process asks for, how often, and how each was found: a workload to be tuned later. The
// file (table/capture_csv.h) is a shape list. Any number of threads and processes may capture into one file at the
// same time. Each adds what it counted since its last write, so that no count is lost or added twice.
// Not: the decision to capture (dispatch/environment.h reads GEMMTUNE_CAPTURE), and not the lookup.
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

/// The file for AITER_TUNE_GEMM=1, which names none: in the working directory of the process.
inline constexpr std::string_view default_capture_path = "gemmtune_capture.csv";

struct CaptureOptions {
  std::filesystem::path path{};
  std::chrono::milliseconds interval{std::chrono::seconds(30)};  // between writes; 0: only at the end and on flush()
  std::optional<int> signal{};  // also write on this signal, SIGUSR2 for example; an existing handler still runs
};

/// The number of a device within a capture.
using CaptureDevice = std::uint32_t;

class Capture {
 public:
  /// Opens nothing yet. A file that cannot be written costs the process one message on stderr, and never a failure.
  explicit Capture(CaptureOptions options);

  /// Writes what is left. A capture that is still alive at exit() does so then.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The number to pass with calls for this device. Equal devices get equal numbers. Any thread. Takes a lock, so ask
  /// once.
  [[nodiscard]] CaptureDevice device(std::string_view gfx, std::int64_t cu_num);

  /// Counts one call. Any thread. Allocates only when this thread meets a problem with this match for the first time,
  /// and takes a lock only in a thread's first call and for problems that are not plain.
  void record(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  /// Adds everything counted so far to the file, now. False when it could not be written: the counts are kept for the
  /// next time.
  bool flush() noexcept;

 private:
  class Shared;

  /// What record() does the first time. A function of its own, so that record() saves no registers for it.
  [[gnu::noinline]] void record_new(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  std::unique_ptr<Shared> shared_;
};

}  // namespace gemmtune
