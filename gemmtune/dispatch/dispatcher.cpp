#include "gemmtune/dispatch/dispatcher.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::chrono::milliseconds clock_tick{20};  // of file systems, with room to spare: Linux has 1 to 10 ms
constexpr int most_attempts = 3;                     // of one poll
constexpr int most_first_attempts = 250;             // about five seconds

bool was_changed_just_now(const FileStamp& stamp) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = now - std::chrono::nanoseconds(stamp.modified_ns);
  return stamp.exists && std::chrono::abs(age) < clock_tick;
}

}  // namespace

DispatcherOptions options_from(const Environment& environment, LineSink say) {
  DispatcherOptions options{.gfx = environment.gfx,
                            .cu_num = environment.cu_num,
                            .tables = environment.tables,
                            .reload_interval = environment.reload_interval,
                            .awaits_tables = environment.reload_interval.count() > 0,
                            .log_lookups = environment.log_lookups,
                            .say = std::move(say)};
  if (environment.capture) options.capture = std::make_shared<Capture>(*environment.capture);
  for (const auto& note : environment.notes) options.say(note);
  return options;
}

Dispatcher::Dispatcher(DispatcherOptions options)
    : options_(std::move(options)),
      device_(device_key(options_.gfx, options_.cu_num)),
      is_observed_(options_.log_lookups || options_.capture != nullptr),
      published_(first()) {
  const auto say_it = [this](const std::string& line) { say(line); };
  if (options_.log_lookups) log_ = std::make_unique<LookupLog>(say_it);
  if (options_.capture) captured_as_ = options_.capture->device(options_.gfx, options_.cu_num);
  if (options_.reload_interval.count() > 0)
    watch_ = std::make_unique<Periodic>(options_.reload_interval, [this] { poll(); });
  ProcessEvents::of_process().add(*this);
}

Dispatcher::~Dispatcher() { ProcessEvents::of_process().remove(*this); }

std::vector<FileStamp> Dispatcher::stamps() const {
  std::vector<FileStamp> all;
  for (const auto& table : options_.tables) all.push_back(file_stamp(table.path));
  return all;
}

/// Empty while a file is being changed. The clock of a file system stands still for some milliseconds: of a file that
/// was changed just now, a further change could not be seen.
std::optional<std::vector<FileStamp>> Dispatcher::settled_stamps() const {
  auto seen = stamps();
  if (std::ranges::none_of(seen, was_changed_just_now)) return seen;
  std::this_thread::sleep_for(clock_tick);
  if (stamps() != seen) return std::nullopt;
  return seen;
}

LoadedTables Dispatcher::load() const {
  std::vector<TableSource> there;
  std::vector<std::string> absent;
  for (const auto& table : options_.tables) {
    if (std::filesystem::exists(table.path))
      there.push_back(table);
    else
      absent.push_back(
          fmt::format("{} does not exist {}", table.path.string(), options_.awaits_tables ? "yet" : "and is left out"));
  }
  if (there.empty() && !options_.tables.empty() && !options_.awaits_tables)
    fail(ErrorCode::input, "none of the tables exists");
  auto loaded = load_tables(there, {.rules = options_.rules, .live_gfx = options_.gfx});
  loaded.notes.insert(loaded.notes.begin(), absent.begin(), absent.end());
  return loaded;
}

/// The tables, or what load() throws, if nobody changed a file meanwhile; `read` is then what the files were.
std::optional<LoadedTables> Dispatcher::read_at_rest(std::vector<FileStamp>& read) const {
  const auto seen = settled_stamps();
  if (!seen) return std::nullopt;
  const auto is_unchanged = [&] {
    const bool is_same = stamps() == *seen;
    if (is_same) read = *seen;
    return is_same;
  };
  try {
    auto tables = load();
    return is_unchanged() ? std::optional(std::move(tables)) : std::nullopt;
  } catch (const std::exception&) {
    if (!is_unchanged()) return std::nullopt;
    throw;
  }
}

std::shared_ptr<const TableIndex> Dispatcher::taken(LoadedTables tables) const {
  for (const auto& note : tables.notes) say(note);
  return std::make_shared<const TableIndex>(std::move(tables.index));
}

std::shared_ptr<const TableIndex> Dispatcher::first() {
  return stamps_.with([this](std::vector<FileStamp>& read) {
    for (int attempt = 0; attempt < most_first_attempts; ++attempt)
      if (auto tables = read_at_rest(read)) return taken(std::move(*tables));
    fail(ErrorCode::io, "the tables change all the time, so that they cannot be read");
  });
}

Reload Dispatcher::poll() {
  if (is_forked_) resume_watch();
  return stamps_.with([this](std::vector<FileStamp>& read) { return reload_if_changed(read); });
}

Reload Dispatcher::reload_if_changed(std::vector<FileStamp>& read) {
  if (stamps() == read) return Reload::unchanged;
  try {
    auto tables = read_at_rest(read);
    for (int attempt = 1; !tables && attempt < most_attempts; ++attempt) tables = read_at_rest(read);
    if (!tables) return Reload::unchanged;
    auto index = taken(std::move(*tables));
    const auto keys = index->key_count();
    published_.publish(std::move(index));
    say(fmt::format("tables reloaded: {} problems", keys));
    return Reload::reloaded;
  } catch (const std::exception& error) {
    say(fmt::format("the changed tables cannot be read, so lookups still use the old ones: {}", error.what()));
    return Reload::failed;
  }
}

void Dispatcher::say(const std::string& line) const {
  saying_.with([&](std::monostate) { options_.say(line); });
}

/// Starting a thread in every child would be too much: most children only start another program.
void Dispatcher::after_fork_in_child() noexcept {
  stamps_.after_fork_in_child();
  saying_.after_fork_in_child();
  if (log_) log_->after_fork_in_child();
  if (watch_) is_forked_ = is_observed_ = true;
}

void Dispatcher::resume_watch() const noexcept {
  if (!is_forked_.exchange(false)) return;
  is_observed_ = log_ != nullptr || options_.capture != nullptr;
  try {
    watch_->resume();
  } catch (const std::exception&) {  // no more threads: the tables go on serving as they are
  }
}

void Dispatcher::observe(const Problem& problem, const Answer& answer) const noexcept {
  if (is_forked_) resume_watch();
  if (log_) log_->note(problem, answer);
  if (options_.capture) options_.capture->record(captured_as_, problem, answer);
}

}  // namespace gemmtune
