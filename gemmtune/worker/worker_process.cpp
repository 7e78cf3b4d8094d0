#include "gemmtune/worker/worker_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/cpu/cpu_memory.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;
using std::chrono::steady_clock;

namespace {

constexpr auto look_up_every = std::chrono::milliseconds(100);  // to notice interrupts
constexpr auto time_to_end = std::chrono::seconds(1);           // after its stdout is closed
constexpr auto time_for_goodbye = std::chrono::seconds(5);      // a GPU's runtime takes a while to shut down

/// Faults of a kernel raise other signals. A shell or a launcher around a worker reports a signal as 128 + its number.
/// What this process ends itself has another kind of fault.
bool is_from_outside(const ExitStatus& status) {
  constexpr std::array signals{SIGKILL, SIGTERM, SIGINT, SIGHUP};
  const int signal = status.signalled ? status.code : status.code - 128;
  return std::ranges::find(signals, signal) != signals.end();
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command, SubprocessOptions options,
                             const std::atomic<bool>& interrupted)
    : child_(command, std::move(options)), memory_kills_before_(memory_kills({})), interrupted_(interrupted) {}

bool WorkerProcess::send(const json& message, Deadline deadline) {
  return child_.write_line(message.dump(-1, ' ', false, json::error_handler_t::replace), deadline);
}

ReadResult WorkerProcess::read_line(Deadline deadline) {
  while (!interrupted_) {
    ReadResult result = child_.read_line(std::min(deadline, steady_clock::now() + look_up_every));
    if (result.status != ReadStatus::timed_out || steady_clock::now() >= deadline) return result;
  }
  return {ReadStatus::timed_out, {}};
}

std::variant<json, WorkerFault> WorkerProcess::receive(Deadline deadline) {
  const ReadResult result = read_line(deadline);
  switch (result.status) {
    case ReadStatus::closed:
      return last_words(result.line);
    case ReadStatus::too_long:
      return WorkerFault{WorkerFault::Kind::nonsense,
                         "the worker wrote a line that does not end: " + quote(result.line)};
    case ReadStatus::timed_out:
      if (interrupted_) return WorkerFault{WorkerFault::Kind::interrupted, "interrupted"};
      return WorkerFault{WorkerFault::Kind::silent, "the worker said nothing"};
    case ReadStatus::line:
      break;
  }
  try {
    return parse_message(result.line);
  } catch (const Error& error) {
    return WorkerFault{WorkerFault::Kind::nonsense, fmt::format("the worker wrote a line that is {}", error.what())};
  }
}

WorkerFault WorkerProcess::last_words(const std::string& half_line) {
  const auto status = child_.wait(steady_clock::now() + time_to_end);
  std::string reason = status ? "the worker " + status->describe() : "the worker closed its stdout and kept running";
  if (!status) child_.kill();
  const bool from_outside = status && is_from_outside(*status);
  if (from_outside && memory_kills({}) > memory_kills_before_)
    reason += " while the kernel was ending processes of this group for want of memory";
  if (!half_line.empty()) reason += ", in the middle of the line " + quote(half_line);
  if (const std::string lines = last_lines(child_.stderr_tail()); !lines.empty()) reason += "; stderr: " + lines;
  return {WorkerFault::Kind::died, std::move(reason), from_outside};
}

std::optional<WorkerFault> WorkerProcess::fault_while_idle() {
  const ReadResult result = child_.read_line(steady_clock::now());
  switch (result.status) {
    case ReadStatus::timed_out:
      return std::nullopt;
    case ReadStatus::closed:
      return last_words(result.line);
    default:
      return WorkerFault{WorkerFault::Kind::nonsense, "the worker wrote without being asked: " + quote(result.line)};
  }
}

void WorkerProcess::dismiss() {
  const Deadline deadline = steady_clock::now() + time_for_goodbye;
  if (!interrupted_ && child_.write_line(R"({"type":"bye"})", deadline)) {
    child_.close_stdin();
    child_.wait(deadline);
  }
  child_.kill();
}

}  // namespace gemmtune
