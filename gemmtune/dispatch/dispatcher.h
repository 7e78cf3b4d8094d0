// Serves one device from tables in files that may change meanwhile. A running process asks it for its kernels. Any
// number of threads look up at once. A lookup takes no lock and allocates nothing, except that a thread's first lookup
// after a reload takes a lock while it copies a pointer. poll() reads changed files; with
// DispatcherOptions::reload_interval, a thread of the dispatcher calls it. If the files cannot be read, the old tables
// stay in use, and one message says so.
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
  LineSink say{stderr_sink()};         // receives what was left out, reloaded or refused; a lookup never calls it
};

/// The options that the environment states. `say` receives what is left out.
DispatcherOptions options_from(const Environment& environment, LineSink say = stderr_sink());

enum class Reload : std::uint8_t { unchanged, reloaded, failed };

class Dispatcher {
 public:
  /// Throws Error{input} if a table cannot be read, or if tables are named but none of them exists.
  explicit Dispatcher(DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// What the answer points to is valid until this thread's next lookup here.
  [[nodiscard]] Answer lookup(const Problem& problem) const noexcept {
    const auto answer = published_.of_this_thread().lookup(problem, device_);
    if (is_observed_) [[unlikely]]
      observe(problem, answer);
    return answer;
  }

  /// Checks whether a file was changed, added or removed, and if so reads all files. May be called on any thread.
  Reload poll();

  /// The tables in use now. The caller may keep them.
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
  std::vector<FileStamp> stamps_;  // as of the last reading or the last attempt
  PublishedIndex published_;
  std::unique_ptr<LookupLog> log_;  // null if lookups are not logged
  CaptureDevice captured_as_{};
  std::unique_ptr<Periodic> watch_;  // the last member, so that it is destroyed first
};

}  // namespace gemmtune
