// Serves one device from files that may change while it does: what a running process asks for its kernels.
//
// Any number of threads look up at once. A lookup takes no lock and allocates nothing, but for the first of a thread
// after a reload, which takes a lock for as long as a pointer is copied. Changed files are read by poll(), which a
// thread of the dispatcher calls where DispatcherOptions::reload_interval says so; a set of files that cannot be read
// leaves the tables as they are and is complained of once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gemmtune/dispatch/capture/capture.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/index/file_stamp.h"
#include "gemmtune/dispatch/index/published_index.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/dispatch/lookup_log.h"
#include "gemmtune/dispatch/periodic.h"

namespace gemmtune {

struct DispatcherOptions {
  std::string gfx{};
  std::int64_t cu_num{};
  std::vector<TableSource> tables{};
  MatchRules rules{};
  std::chrono::milliseconds reload_interval{0};  // 0: files are looked at only when poll() is called
  bool log_lookups{};
  std::shared_ptr<Capture> capture{};  // null: nothing is recorded
  LineSink say{stderr_sink()};         // what was left out, what was reloaded, what could not be; never a call's cost
};

/// As the environment says; what it leaves out is said to `say`.
DispatcherOptions options_from(const Environment& environment, LineSink say = stderr_sink());

enum class Reload : std::uint8_t { unchanged, reloaded, failed };

class Dispatcher {
 public:
  /// Throws Error{input} when a table cannot be read, or when there are tables and none exists.
  explicit Dispatcher(DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// What the answer points to is good until this thread's next lookup here.
  [[nodiscard]] Answer lookup(const Problem& problem) const noexcept {
    const auto answer = published_.of_this_thread().lookup(problem, device_);
    if (is_observed_) [[unlikely]]
      observe(problem, answer);
    return answer;
  }

  /// Looks whether a file has changed, come or gone, and reads all of them when one has. Any thread.
  Reload poll();

  /// The tables that serve now, to be kept.
  std::shared_ptr<const TableIndex> index() const { return published_.current(); }

  const DispatcherOptions& options() const { return options_; }

 private:
  std::vector<FileStamp> stamps() const;
  std::shared_ptr<const TableIndex> load() const;
  Reload reload();
  void say(const std::string& line) const;
  void observe(const Problem& problem, const Answer& answer) const noexcept;

  DispatcherOptions options_;
  DeviceKey device_;
  bool is_observed_{};
  mutable std::mutex saying_;
  std::mutex reloading_;
  std::vector<FileStamp> stamps_;  // of what was last read, or tried to
  PublishedIndex published_;
  std::unique_ptr<LookupLog> log_;  // null when off
  CaptureDevice captured_as_{};
  std::unique_ptr<Periodic> watch_;  // last: it ends first
};

}  // namespace gemmtune
