#include "gemmtune/dispatch/capture/capture.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/dispatch/capture/capture_file.h"
#include "gemmtune/dispatch/capture/capture_table.h"
#include "gemmtune/dispatch/lookup_log.h"
#include "gemmtune/dispatch/process_events.h"
#include "gemmtune/dispatch/wakeup.h"

namespace gemmtune {
namespace {

/// Identifies one process's counting in one capture. Each capture has a new number, and so has each forked process that
/// continues it.
using Generation = std::uint64_t;
constexpr Generation forked = 0;    // a forked child that has not counted yet
constexpr Generation starting = 1;  // a thread of the child is setting up its counting
constexpr Generation none = ~Generation{0};

Generation next_generation() {
  static std::atomic<Generation> next{2};
  return next.fetch_add(1);
}

/// Separate from the owner below, so that the hot path touches nothing with a constructor or destructor.
struct LastTable {
  Generation generation{none};
  CaptureTable* table{};
  bool leaving{};  // the thread is ending; calls from destructors that run now are not counted
};

constinit thread_local LastTable last_table{};

/// Returns the table when the thread ends or moves to another capture.
class TableOfThread {
 public:
  ~TableOfThread() {
    last_table = {.leaving = true};
    take(nullptr);
  }

  void take(std::shared_ptr<CaptureTable> table) {
    if (table_) table_->release();
    table_ = std::move(table);
  }

 private:
  std::shared_ptr<CaptureTable> table_;
};

/// Blocks all signals while a thread starts, so that the thread inherits the mask and never handles the host's signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

struct DeviceName {
  std::string gfx{};
  std::int64_t cu_num{};

  bool operator==(const DeviceName&) const = default;
};

/// The layout and epilogue of a problem, in which it may differ from a plain problem of the same sizes and types.
struct Variant {
  Layout layout{};
  Epilogue epilogue{};  // its bias is always false

  bool operator==(const Variant&) const = default;
};

/// What was counted but not yet written, and the entries in which to note that it was written.
struct Unwritten {
  std::vector<CapturedProblem> rows{};
  std::vector<std::pair<CaptureTable::Entry*, std::int64_t>> totals{};
};

/// The counting of one process: the tables of its threads, and the thread that writes them.
class Counting {
 public:
  Counting(const CaptureOptions& options, std::vector<DeviceName> devices)
      : options_(options), devices_(std::move(devices)) {
    listen();
    const BlockedSignals blocked;
    writer_ = std::thread([this] { write_until_ended(); });
  }

  ~Counting() {
    ending_ = true;
    wakeup_.ring();
    writer_.join();
    flush();
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  CaptureDevice device(const DeviceName& name) {
    const std::scoped_lock lock(tables_mutex_);
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (devices_[i] == name) return static_cast<CaptureDevice>(i);
    devices_.push_back(name);
    return static_cast<CaptureDevice>(devices_.size() - 1);
  }

  /// The number for this problem's layout and epilogue; equal ones get equal numbers. Takes a lock, because problems
  /// that are not plain are rare.
  VariantNumber variant(const Problem& problem) {
    Variant variant{canonical_layout(problem), problem.epilogue};
    variant.epilogue.bias = false;
    if (variant == Variant{}) return 0;
    const std::scoped_lock lock(tables_mutex_);
    auto found = std::ranges::find(variants_, variant);
    if (found == variants_.end()) found = variants_.insert(found, variant);
    return static_cast<VariantNumber>(found - variants_.begin()) + 1;
  }

  /// A table that no other thread owns.
  std::shared_ptr<CaptureTable> free_table() {
    const std::scoped_lock lock(tables_mutex_);
    for (const auto& table : tables_)
      if (table->claim()) return table;
    tables_.push_back(std::make_shared<CaptureTable>());
    (void)tables_.back()->claim();
    return tables_.back();
  }

  bool flush() noexcept {
    try {
      const std::scoped_lock lock(write_mutex_);
      const auto unwritten = collect();
      if (unwritten.rows.empty()) return true;
      add_to_capture_file(options_.path, unwritten.rows);
      for (const auto& [entry, total] : unwritten.totals) entry->written = total;
      return true;
    } catch (const std::exception& error) {
      complain(error.what());
      return false;
    }
  }

  /// The devices, for a forked child in which their numbers stay valid. The list is consistent in the child, because
  /// the lock is held across the fork.
  std::vector<DeviceName> devices() const { return devices_; }
  void lock_for_fork() { tables_mutex_.lock(); }
  void unlock_after_fork() { tables_mutex_.unlock(); }

 private:
  void listen() noexcept {
    if (!options_.signal) return;
    try {
      signal_ring_.emplace(*options_.signal, wakeup_);
    } catch (const std::exception& error) {
      complain(error.what());
    }
  }

  void write_until_ended() {
    while (!ending_) {
      wakeup_.wait(options_.interval);
      if (!ending_) flush();
    }
  }

  Unwritten collect() {
    const std::scoped_lock lock(tables_mutex_);
    Unwritten unwritten;
    for (const auto& table : tables_)
      for (auto* entry = table->entries(); entry != nullptr; entry = entry->next) collect(*entry, unwritten);
    return unwritten;
  }

  void collect(CaptureTable::Entry& entry, Unwritten& unwritten) const {
    const auto total = entry.calls.load(std::memory_order_relaxed);
    if (total == entry.written) return;
    const auto& device = devices_[entry.key.device()];
    unwritten.rows.push_back({.gfx = device.gfx,
                              .cu_num = device.cu_num,
                              .problem = problem_of(entry.key),
                              .match = entry.key.match(),
                              .calls = total - entry.written,
                              .tuned_m = entry.tuned_m.load(std::memory_order_relaxed),
                              .expected_us = entry.expected_us.load(std::memory_order_relaxed)});
    unwritten.totals.emplace_back(&entry, total);
  }

  Problem problem_of(const CapturedKey& key) const {
    auto problem = key.problem();
    if (key.variant() == 0) return problem;
    const auto& variant = variants_[key.variant() - 1];
    problem.layout = variant.layout;
    problem.epilogue.activation = variant.epilogue.activation;
    problem.epilogue.residual = variant.epilogue.residual;
    return problem;
  }

  void complain(std::string_view why) noexcept {
    if (complained_.exchange(true)) return;
    try {
      stderr_sink()(fmt::format(
          "capture: {}: the counts stay in memory, and writing them is tried again; this message appears once", why));
    } catch (const std::exception&) {  // a process without stderr must still work
    }
  }

  const CaptureOptions& options_;
  std::mutex tables_mutex_;  // guards tables_, devices_ and variants_, but not the contents of the tables
  std::vector<DeviceName> devices_;
  std::vector<Variant> variants_;
  std::vector<std::shared_ptr<CaptureTable>> tables_;
  std::mutex write_mutex_;  // guards the file and every Entry::written
  Wakeup wakeup_;
  std::optional<SignalRing> signal_ring_;
  std::atomic<bool> ending_{false};
  std::atomic<bool> complained_{false};
  std::thread writer_;
};

}  // namespace

/// The part of a capture that survives a fork: the child continues with a Counting of its own.
class Capture::Shared final : private ProcessListener {
 public:
  explicit Shared(CaptureOptions options) : options_(std::move(options)) {
    counting_ = new Counting(options_, {});
    generation_ = next_generation();
    ProcessEvents::of_process().add(*this);
  }

  ~Shared() override {
    ProcessEvents::of_process().remove(*this);
    if (generation_ > starting) delete counting_.load();  // otherwise it is the parent's
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// The counting of this process.
  Counting& counting() {
    for (;;) {
      auto generation = generation_.load(std::memory_order_acquire);
      if (generation > starting) return *counting_;
      if (generation == forked && generation_.compare_exchange_strong(generation, starting)) start_in_child();
      std::this_thread::yield();
    }
  }

  /// The table that this thread used in its last call, if that call was for the same counting. Otherwise null.
  CaptureTable* known_table() const {
    return last_table.generation == generation_.load(std::memory_order_acquire) ? last_table.table : nullptr;
  }

  /// This thread's table. Null if the thread is ending.
  CaptureTable* table() {
    if (auto* known = known_table()) return known;
    return last_table.leaving ? nullptr : other_table();
  }

 private:
  void before_exit() noexcept override {
    if (generation_ > starting) counting_.load()->flush();
  }

  void before_fork() noexcept override {
    locked_for_fork_ = counting_.load();
    locked_for_fork_->lock_for_fork();
  }
  void after_fork_in_parent() noexcept override { locked_for_fork_->unlock_after_fork(); }
  void after_fork_in_child() noexcept override {
    locked_for_fork_->unlock_after_fork();
    SignalRing::forget_in_child();
    generation_ = forked;
  }

  /// Gives the child its own Counting. The parent's stays in memory and is never used again: the parent's other threads
  /// do not exist in the child, and one of them may have been changing it.
  void start_in_child() {
    try {
      counting_ = new Counting(options_, counting_.load()->devices());
      generation_.store(next_generation(), std::memory_order_release);
    } catch (...) {
      generation_ = forked;
      throw;
    }
  }

  CaptureTable* other_table() {
    static thread_local TableOfThread owned;
    auto table = counting().free_table();
    last_table = {.generation = generation_.load(std::memory_order_acquire), .table = table.get()};
    owned.take(std::move(table));
    return last_table.table;
  }

  CaptureOptions options_;
  std::atomic<Generation> generation_{forked};
  std::atomic<Counting*> counting_{nullptr};
  Counting* locked_for_fork_{};  // another thread of a forked child may replace counting_ during a fork
};

Capture::Capture(CaptureOptions options) : shared_(std::make_unique<Shared>(std::move(options))) {}
Capture::~Capture() = default;

CaptureDevice Capture::device(std::string_view gfx, std::int64_t cu_num) {
  return shared_->counting().device({std::string(gfx), cu_num});
}

void Capture::record(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept {
  if (auto* table = shared_->known_table(); table != nullptr && is_plain(problem)) [[likely]] {
    const CapturedKey key(problem, {.device = device, .match = answer.match});
    if (table->count_again(key, key.hash(), answer)) [[likely]]
      return;
  }
  record_new(device, problem, answer);
}

void Capture::record_new(CaptureDevice device, const Problem& problem, const Answer& answer) noexcept {
  try {
    auto* table = shared_->table();
    if (table == nullptr) return;
    const auto variant = shared_->counting().variant(problem);
    const CapturedKey key(problem, {.device = device, .match = answer.match, .variant = variant});
    table->count(key, key.hash(), answer);
  } catch (const std::exception&) {  // out of memory or threads: the lookup goes on without being counted
  }
}

bool Capture::flush() noexcept {
  try {
    return shared_->counting().flush();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace gemmtune
