#include "gemmtune/cli/serve/tuning_child.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_every{100};
constexpr std::chrono::seconds patience{3};  // with a child that was asked to end

std::vector<std::string> command_of(const TuningOrder& order) {
  std::vector<std::string> command{"/proc/self/exe",     "tune",     "-i",         order.list.string(), "-o",
                                   order.table.string(), "--device", order.devices};
  command.insert(command.end(), order.options.begin(), order.options.end());
  return command;
}

/// The last line that the child wrote to stderr, where its failures are.
std::string last_line(std::string_view text) {
  std::string last;
  for (const auto line : split(text, '\n'))
    if (!trim(line).empty()) last = trim(line);
  return last;
}

ExitStatus end_of(Subprocess& child) {
  ::kill(child.pid(), SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (child.read_line(std::chrono::steady_clock::now() + look_every).status == ReadStatus::closed) break;
    if (const auto ended = child.wait(std::chrono::steady_clock::now())) return *ended;
  }
  return child.kill();
}

/// Reads what the child writes until it ends. Its report is for people at a terminal, and is not kept.
ExitStatus wait_for(Subprocess& child, const std::atomic<bool>& stop) {
  while (!stop) {
    const auto read = child.read_line(std::chrono::steady_clock::now() + look_every).status;
    const bool is_silent = read != ReadStatus::line;
    const auto ended = is_silent ? child.wait(std::chrono::steady_clock::now()) : std::nullopt;
    if (ended) return *ended;
    if (read == ReadStatus::closed)
      if (const auto late = child.wait(std::chrono::steady_clock::now() + look_every)) return *late;
  }
  return end_of(child);
}

}  // namespace

TuningEnd tune_in_child(const TuningOrder& order, const std::atomic<bool>& stop) {
  const auto start = SteadyClock::now();
  try {
    Subprocess child(command_of(order));
    const auto end = wait_for(child, stop);
    const bool is_done = !end.signalled && end.code == 0;
    const auto words = last_line(child.stderr_tail());
    return {.why_failed = is_done ? "" : fmt::format("the tuner {}: {}", end.describe(), words),
            .took_s = seconds_since(start)};
  } catch (const Error& error) {
    return {.why_failed = error.what(), .took_s = seconds_since(start)};
  }
}

}  // namespace gemmtune
