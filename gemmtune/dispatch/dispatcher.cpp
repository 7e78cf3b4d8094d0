#include "gemmtune/dispatch/dispatcher.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/dispatch/index/load_tables.h"

namespace gemmtune {

DispatcherOptions options_from(const Environment& environment, LineSink say) {
  DispatcherOptions options{.gfx = environment.gfx,
                            .cu_num = environment.cu_num,
                            .tables = environment.tables,
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
      stamps_(stamps()),
      published_(load()) {
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

std::shared_ptr<const TableIndex> Dispatcher::load() const {
  std::vector<TableSource> there;
  for (const auto& table : options_.tables) {
    if (std::filesystem::exists(table.path))
      there.push_back(table);
    else
      say(fmt::format("{} does not exist and is left out", table.path.string()));
  }
  if (there.empty() && !options_.tables.empty()) fail(ErrorCode::input, "none of the tables exists");
  auto loaded = load_tables(there, {.rules = options_.rules, .live_gfx = options_.gfx});
  for (const auto& note : loaded.notes) say(note);
  return std::make_shared<const TableIndex>(std::move(loaded.index));
}

Reload Dispatcher::poll() {
  if (is_forked_) resume_watch();
  return stamps_.with([this](std::vector<FileStamp>& read) { return reload_if_changed(read); });
}

Reload Dispatcher::reload_if_changed(std::vector<FileStamp>& read) {
  auto seen = stamps();  // before reading, so that changes made meanwhile are found the next time
  if (seen == read) return Reload::unchanged;
  read = std::move(seen);
  return reload();
}

Reload Dispatcher::reload() {
  try {
    auto index = load();
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
