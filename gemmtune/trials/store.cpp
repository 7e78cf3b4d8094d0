#include "gemmtune/trials/store.h"

#include <array>
#include <fstream>
#include <mutex>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/trials/absorb.h"
#include "gemmtune/trials/query.h"
#include "gemmtune/trials/rows.h"
#include "gemmtune/trials/run_details.h"
#include "gemmtune/trials/runs.h"
#include "gemmtune/trials/schema.h"
#include "gemmtune/trials/writer_lock.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

// Called before a lock file is created beside the store, and before SQLite opens it.
void check_file(const fs::path& path) {
  std::error_code ignored;  // SQLite reports the reason when it cannot open the file
  if (fs::is_directory(path, ignored)) fail(ErrorCode::io, "the trials store {} is a folder", path.string());
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, magic.size()> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const std::string_view found(start.data(), static_cast<std::size_t>(file.gcount()));
  if (!found.empty() && found != magic) fail(ErrorCode::input, "{} is not a trials store", path.string());
}

void check_folder(const fs::path& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  fail(ErrorCode::io, "cannot open the trials store {}: there is no folder {}", path.string(), folder.string());
}

std::string immutable_uri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// In a folder without write permission, SQLite cannot create the files that readers and writers share. When there is no
// write-ahead log, no process is writing, and the file can be read as immutable.
Connection connect_read_only(const fs::path& path) {
  try {
    Connection connection(path.string(), SQLite::OPEN_READONLY);
    check_schema(connection.database(), path);
    complete_for_reading(connection.database());
    return connection;
  } catch (const SQLite::Exception&) {
    std::error_code ignored;
    if (!fs::exists(path, ignored) || fs::exists(path.string() + "-wal", ignored)) throw;
  }
  Connection connection(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  check_schema(connection.database(), path);
  complete_for_reading(connection.database());
  return connection;
}

Connection connect_for_writing(const fs::path& path) {
  Connection connection(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  prepare_schema(connection.database(), path);
  return connection;
}

/// SQLite says "ok" where there is nothing wrong.
std::vector<std::string> faults_of_file(Connection& connection) {
  std::vector<std::string> faults;
  Query pages(connection.prepared("PRAGMA integrity_check"));
  while (pages.step())
    if (auto line = pages.shown_text(); line != "ok") faults.push_back(std::move(line));
  Query references(connection.prepared("PRAGMA foreign_key_check"));
  while (references.step()) {
    const auto table = references.shown_text();
    const auto row = references.integer();
    faults.push_back(
        fmt::format("row {} of {}: refers to a row of {} that is missing", row, table, references.shown_text()));
  }
  return faults;
}

/// Syncs to the disk what the operating system has buffered.
void to_disk(Connection& connection) { connection.database().exec("PRAGMA wal_checkpoint(PASSIVE)"); }

}  // namespace

struct TrialStore::State {
  fs::path path;
  std::optional<WriterLock> lock{};  // released after the connection is closed
  Connection connection;
  std::mutex mutex{};

  State(const fs::path& where, Connection reader) : path(where), connection(std::move(reader)) {}
  explicit State(const fs::path& where) : path(where), lock(where), connection(connect_for_writing(where)) {}

  template <typename Work>
  auto read(Work&& work) {
    const std::scoped_lock only_one(mutex);
    return translating_errors(path, [&] { return work(connection); });
  }

  template <typename Work>
  auto write(Work&& work) {
    return read([&](Connection& c) {
      SQLite::Transaction transaction(c.database(), SQLite::TransactionBehavior::IMMEDIATE);
      if constexpr (std::is_void_v<decltype(work(c))>) {
        work(c);
        transaction.commit();
      } else {
        auto result = work(c);
        transaction.commit();
        return result;
      }
    });
  }
};

std::string model_of(const DeviceInfo& device) { return fmt::format("{} ({})", device.name, device.arch); }

std::string to_string(const DamagedRow& row) { return fmt::format("row {} of {}: {}", row.id, row.table, row.why); }

TrialStore TrialStore::open(const fs::path& path) {
  check_folder(path);
  check_file(path);
  return translating_errors(path, [&] { return TrialStore(std::make_unique<State>(path)); });
}

TrialStore TrialStore::open_read_only(const fs::path& path) {
  check_file(path);
  return translating_errors(path, [&] { return TrialStore(std::make_unique<State>(path, connect_read_only(path))); });
}

TrialStore::TrialStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrialStore::~TrialStore() = default;
TrialStore::TrialStore(TrialStore&&) noexcept = default;
TrialStore& TrialStore::operator=(TrialStore&&) noexcept = default;

void TrialStore::add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context) {
  state_->write([&](Connection& c) { insert_trial(c, problem, evaluation, context); });
}

std::optional<Evaluation> TrialStore::find(const Problem& problem, const Candidate& candidate, Stage stage,
                                           const TrialContext& context) const {
  return state_->read([&](Connection& c) { return latest_trial(c, problem, candidate, stage, context); });
}

std::vector<Trial> TrialStore::all() const {
  return state_->read([](Connection& c) { return all_trials(c); });
}

std::vector<Trial> TrialStore::of(const Problem& problem) const {
  return state_->read([&](Connection& c) { return trials_of(c, problem); });
}

std::vector<TrialTime> TrialStore::times(const DeviceInfo& device) const {
  return state_->read([&](Connection& c) { return times_on(c, device); });
}

void TrialStore::quarantine(const Quarantined& entry) {
  state_->write([&](Connection& c) { insert_quarantined(c, entry); });
  state_->read(to_disk);
}

std::vector<Quarantined> TrialStore::quarantined() const {
  return state_->read([](Connection& c) { return all_quarantined(c); });
}

void TrialStore::lift(const Quarantined& entry) {
  state_->write([&](Connection& c) { lift_quarantined(c, entry.id); });
  state_->read(to_disk);
}

Absorbed TrialStore::absorb(const fs::path& from, const std::set<Problem>& only) {
  check_file(from);
  translating_errors(from, [&] {
    Connection other(from.string(), SQLite::OPEN_READWRITE);
    check_schema(other.database(), from);
  });
  const auto absorbed = state_->read([&](Connection& c) { return absorb_store(c, from, only); });
  state_->read(to_disk);
  return absorbed;
}

std::int64_t TrialStore::begin_run(const std::string& command_line, std::int64_t shape_count) {
  return state_->write([&](Connection& c) { return insert_run(c, command_line, shape_count); });
}

void TrialStore::update_run(std::int64_t run, std::int64_t shapes_done, std::int64_t shapes_failed,
                            const std::string& state) {
  state_->write([&](Connection& c) { note_progress(c, {run, shapes_done, shapes_failed, state}); });
}

std::vector<Run> TrialStore::runs() const {
  return state_->read([](Connection& c) { return all_runs(c); });
}

void TrialStore::add_result(std::int64_t run, const RunResult& result) {
  state_->write([&](Connection& c) { insert_result(c, run, result); });
  state_->read(to_disk);
}

void TrialStore::add_line(std::int64_t run, const std::string& text) {
  state_->write([&](Connection& c) { insert_line(c, run, text); });
}

void TrialStore::add_file(std::int64_t run, const RunFile& file) {
  state_->write([&](Connection& c) { insert_file(c, run, file); });
}

std::vector<RunResult> TrialStore::results(std::int64_t run) const {
  return state_->read([&](Connection& c) { return results_of(c, run); });
}

std::vector<RunLine> TrialStore::last_lines(std::int64_t run, std::int64_t count) const {
  return state_->read([&](Connection& c) { return last_lines_of(c, run, count); });
}

std::vector<RunFile> TrialStore::files(std::int64_t run) const {
  return state_->read([&](Connection& c) { return files_of(c, run); });
}

std::map<Outcome, std::int64_t> TrialStore::outcomes_during(const Run& run) const {
  return state_->read([&](Connection& c) { return outcomes_between(c, run.begun_utc, run.heartbeat_utc); });
}

std::vector<DamagedRow> TrialStore::damaged() const {
  return state_->read([](Connection& c) { return c.damaged(); });
}

std::vector<std::string> TrialStore::check() const {
  auto found = state_->read(faults_of_file);
  if (!found.empty()) return found;  // reading on would find the same again
  static_cast<void>(all());
  static_cast<void>(quarantined());
  for (const auto& run : runs()) {
    static_cast<void>(results(run.id));
    static_cast<void>(outcomes_during(run));
  }
  for (const auto& row : damaged()) found.push_back(to_string(row));
  return found;
}

}  // namespace gemmtune
