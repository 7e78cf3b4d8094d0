// Serves one device from tables in files that may change meanwhile. A running process asks it for its kernels. Any
// number of threads look up at once. A lookup takes no lock and allocates nothing, except that a thread's first lookup
// after a reload takes a lock while it copies a pointer. poll() reads changed files; with
// DispatcherOptions::reload_interval, a thread of the dispatcher calls it. If the files cannot be read, the old tables
// stay in use, and one message says so. Files that change while they are read are read again: nothing is served of
// which a part is old and a part is new.
//
// A forked child may go on with the dispatcher of its parent. Whenever the fork happened, lookups, poll() and the
// destructor work. The child begins without the reloading thread; its first lookup or poll() starts one if a reload
// interval is set.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/dispatch/capture/capture.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/index/file_stamp.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/dispatch/index/published_index.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/dispatch/inherited.h"
#include "gemmtune/dispatch/lookup_log.h"
#include "gemmtune/dispatch/periodic.h"
#include "gemmtune/dispatch/process_events.h"

namespace gemmtune {

struct DispatcherOptions {
  std::string gfx{};
  std::int64_t cu_num{};
  std::vector<TableSource> tables{};
  MatchRules rules{};
  std::chrono::milliseconds reload_interval{0};  // 0: files are looked at only when poll() is called
  bool awaits_tables{};                          // they may all be absent, and appear later
  bool log_lookups{};
  std::shared_ptr<Capture> capture{};  // null: nothing is recorded
  LineSink say{stderr_sink()};         // receives what was left out, reloaded or refused; a lookup never calls it
};

/// The options that the environment states. `say` receives what is left out.
DispatcherOptions options_from(const Environment& environment, LineSink say = stderr_sink());

enum class Reload : std::uint8_t { unchanged, reloaded, failed };

class Dispatcher final : private ProcessListener {
 public:
  /// Throws Error{input} if a table cannot be read, or if tables are named but none of them exists, and Error{io} if
  /// they change all the time.
  explicit Dispatcher(DispatcherOptions options);
  ~Dispatcher() override;
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// What the answer points to is valid until this thread's next lookup here.
  [[nodiscard]] Answer lookup(const Problem& problem) const noexcept {
    const auto answer = published_.of_this_thread().lookup(problem, device_);
    if (is_observed_.load(std::memory_order_relaxed)) [[unlikely]]
      observe(problem, answer);
    return answer;
  }

  /// Checks whether a file was changed, added or removed, and if so reads all files. May be called on any thread. Waits
  /// for a moment where a file was changed just now. If the files go on changing, the next call looks again.
  Reload poll();

  /// A number that is another one after each reload.
  std::uint64_t generation() const noexcept { return published_.ticket(); }

  /// The tables in use now. The caller may keep them.
  std::shared_ptr<const TableIndex> index() const { return published_.current(); }

  const DispatcherOptions& options() const { return options_; }

 private:
  std::vector<FileStamp> stamps() const;
  std::optional<std::vector<FileStamp>> settled_stamps() const;
  LoadedTables load() const;
  std::optional<LoadedTables> read_at_rest(std::vector<FileStamp>& read) const;
  std::shared_ptr<const TableIndex> first();
  std::shared_ptr<const TableIndex> taken(LoadedTables tables) const;
  Reload reload_if_changed(std::vector<FileStamp>& read);
  void say(const std::string& line) const;
  void resume_watch() const noexcept;
  void after_fork_in_child() noexcept override;
  void observe(const Problem& problem, const Answer& answer) const noexcept;

  DispatcherOptions options_;
  DeviceKey device_;
  mutable std::atomic<bool> is_observed_;       // each lookup calls observe()
  mutable std::atomic<bool> is_forked_{false};  // the watch waits to be resumed
  mutable Inherited<std::monostate> saying_{};  // only one thread calls options_.say
  Inherited<std::vector<FileStamp>> stamps_{};  // of the last reading, or the last attempt
  PublishedIndex published_;
  std::unique_ptr<LookupLog> log_;  // null if lookups are not logged
  CaptureDevice captured_as_{};
  std::unique_ptr<Periodic> watch_;  // the last member, so that it is destroyed first
};

}  // namespace gemmtune
