// Records which problems a process looks up, how often, and how each was matched: a workload to be tuned later. The
// file (table/capture_csv.h) is a shape list. Any number of threads and processes may capture into one file at the same
// time. Each adds what it has counted since its last write, so that no count is lost or added twice.
//
// The decision to capture is made elsewhere: dispatch/environment.h reads GEMMTUNE_CAPTURE.
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

/// The file for AITER_TUNE_GEMM=1, which names no file. It is in the working directory of the process.
inline constexpr std::string_view default_capture_path = "gemmtune_capture.csv";

struct CaptureOptions {
  std::filesystem::path path{};
  std::chrono::milliseconds interval{std::chrono::seconds(30)};  // between writes; 0: only at the end and on flush()
  std::optional<int> signal{};  // also write on this signal, such as SIGUSR2; the previous handler still runs
};

/// The number of a device within a capture.
using CaptureDevice = std::uint32_t;

class Capture {
 public:
  /// Opens no file yet. If the file cannot be written, the process prints one message on stderr and goes on.
  explicit Capture(CaptureOptions options);

  /// Writes what is left. For a capture that still exists at exit(), this happens in exit().
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The number to pass to record() for this device. Equal devices get equal numbers. May be called on any thread.
  /// Takes a lock, so call it once for each device.
  [[nodiscard]] CaptureDevice device(std::string_view gfx, std::int64_t cu_num);

  /// Counts one call. May be called on any thread. It allocates only when this thread meets a problem with this match
  /// for the first time, and takes a lock only in a thread's first call and for problems that are not plain.
  void record(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  /// Adds everything counted so far to the file now. Returns false if the file cannot be written; the counts are then
  /// kept for the next time.
  bool flush() noexcept;

 private:
  class Shared;

  /// The slow path of record(). A separate function, so that record() saves no registers for it.
  [[gnu::noinline]] void record_new(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept;

  std::unique_ptr<Shared> shared_;
};

}  // namespace gemmtune
