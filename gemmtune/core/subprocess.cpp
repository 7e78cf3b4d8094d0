#include "gemmtune/core/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "gemmtune/core/spawn.h"

namespace gemmtune {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t chunk_bytes = 64 * 1024;
constexpr std::size_t shown_bytes = 256;  // how much of an unfinished line is returned
constexpr auto look_at_child_every = milliseconds(100);
constexpr auto give_up_after_kill = std::chrono::seconds(10);

/// Rounded up, so that a poll does not spin through its last millisecond.
int poll_timeout_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000 * 1000));
}

ExitStatus exit_status(const siginfo_t& info) {
  return {.signalled = info.si_code != CLD_EXITED, .code = info.si_status};
}

}  // namespace

std::string ExitStatus::describe() const {
  if (!signalled) return fmt::format("exited with {}", code);
  const char* name = sigabbrev_np(code);
  return fmt::format("killed by signal {} (SIG{})", code, name == nullptr ? "?" : name);
}

struct Subprocess::State {
  State(const std::vector<std::string>& command, SubprocessOptions given)
      : options(std::move(given)), child(spawn(command, options)) {}
  ~State() { kill_and_reap(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  SubprocessOptions options;
  SpawnedChild child;
  std::optional<ExitStatus> ended{};

  std::string out_buffer{};  // output of the child; the part from `out_begin` on has not been returned yet
  std::size_t out_begin{};
  std::size_t out_searched{};  // there is no newline before this position
  std::string err_tail{};

  std::size_t buffered() const { return out_buffer.size() - out_begin; }

  void pump(Deadline deadline, bool for_writing);
  void read_stdout();
  void read_stderr();
  std::optional<std::string> take_line();
  std::string start_of_rest() const { return out_buffer.substr(out_begin, shown_bytes); }

  std::optional<ExitStatus> poll_end();
  ExitStatus kill_and_reap();
};

/// Waits for an event on the three pipes and reads what the child wrote. Also checks whether the child has ended,
/// because a process that it left behind may hold its pipes open.
void Subprocess::State::pump(Deadline deadline, bool for_writing) {
  // A child that writes too much to stdout while no line is asked for blocks.
  const bool room = buffered() <= options.line_limit_bytes;
  std::array<pollfd, 3> fds{{{room ? child.out.get() : -1, POLLIN, 0},
                             {child.err.get(), POLLIN, 0},
                             {for_writing ? child.in.get() : -1, POLLOUT, 0}}};
  const Deadline next_look = std::min(deadline, std::chrono::steady_clock::now() + look_at_child_every);
  if (::poll(fds.data(), fds.size(), poll_timeout_ms(next_look)) <= 0) {
    if (ended) child.out.reset();
    poll_end();
    return;
  }
  if (fds[0].revents != 0) read_stdout();
  if (fds[1].revents != 0) read_stderr();
}

void Subprocess::State::read_stdout() {
  const std::size_t before = out_buffer.size();
  out_buffer.resize(before + chunk_bytes);
  const ssize_t count = ::read(child.out.get(), out_buffer.data() + before, chunk_bytes);
  out_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) child.out.reset();
}

void Subprocess::State::read_stderr() {
  std::array<char, chunk_bytes> chunk;
  const ssize_t count = ::read(child.err.get(), chunk.data(), chunk.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) child.err.reset();
  if (count <= 0) return;
  err_tail.append(chunk.data(), static_cast<std::size_t>(count));
  if (err_tail.size() > options.stderr_kept_bytes) err_tail.erase(0, err_tail.size() - options.stderr_kept_bytes);
}

std::optional<std::string> Subprocess::State::take_line() {
  const std::size_t newline = out_buffer.find('\n', std::max(out_searched, out_begin));
  if (newline == std::string::npos) {
    out_buffer.erase(0, std::exchange(out_begin, 0));
    out_searched = out_buffer.size();
    return std::nullopt;
  }
  std::string line = out_buffer.substr(out_begin, newline - out_begin);
  out_begin = newline + 1;
  out_searched = out_begin;
  return line;
}

/// Checks for the end without reaping the child. As long as the dead child is in the process table, the number of its
/// group cannot be reused, and the processes that it left behind can be killed safely.
std::optional<ExitStatus> Subprocess::State::poll_end() {
  if (ended) return ended;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  ::kill(-child.pid, SIGKILL);
  ::waitpid(child.pid, nullptr, 0);
  ended = exit_status(info);
  for (int reads = 0; child.err.valid() && reads < 64; ++reads) read_stderr();
  return ended;
}

ExitStatus Subprocess::State::kill_and_reap() {
  const Deadline deadline = std::chrono::steady_clock::now() + give_up_after_kill;
  if (!ended) ::kill(-child.pid, SIGKILL);
  while (!poll_end() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  if (!ended) ended = ExitStatus{.signalled = true, .code = SIGKILL};
  return *ended;
}

Subprocess::Subprocess(const std::vector<std::string>& command, SubprocessOptions options)
    : state_(std::make_unique<State>(command, std::move(options))) {}
Subprocess::~Subprocess() = default;
Subprocess::Subprocess(Subprocess&&) noexcept = default;
Subprocess& Subprocess::operator=(Subprocess&&) noexcept = default;

pid_t Subprocess::pid() const { return state_->child.pid; }

bool Subprocess::write_line(std::string_view line, Deadline deadline) {
  std::string rest(line);
  rest += '\n';
  std::size_t sent = 0;
  while (state_->child.in.valid() && sent < rest.size()) {
    // stdin is a socket: MSG_NOSIGNAL spares this process a SIGPIPE without touching its signal dispositions.
    const ssize_t count =
        ::send(state_->child.in.get(), rest.data() + sent, rest.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    state_->pump(deadline, true);
  }
  return sent == rest.size();
}

ReadResult Subprocess::read_line(Deadline deadline) {
  for (bool last_look = false;; last_look = std::chrono::steady_clock::now() >= deadline) {
    if (auto line = state_->take_line()) return {ReadStatus::line, std::move(*line)};
    if (state_->buffered() > state_->options.line_limit_bytes) return {ReadStatus::too_long, state_->start_of_rest()};
    if (!state_->child.out.valid()) return {ReadStatus::closed, state_->start_of_rest()};
    if (last_look) return {ReadStatus::timed_out, {}};
    state_->pump(deadline, false);
  }
}

void Subprocess::close_stdin() { state_->child.in.reset(); }

std::string Subprocess::stderr_tail() const { return state_->err_tail; }

std::optional<ExitStatus> Subprocess::wait(Deadline deadline) {
  while (!state_->poll_end()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return std::nullopt;
    const bool something_open = state_->child.out.valid() || state_->child.err.valid();
    const Deadline soon = std::min(deadline, now + milliseconds(something_open ? 10 : 2));
    // The pipes are read meanwhile: a child that blocks on a full pipe would never end.
    if (something_open)
      state_->pump(soon, false);
    else
      std::this_thread::sleep_until(soon);
  }
  return state_->ended;
}

ExitStatus Subprocess::kill() { return state_->kill_and_reap(); }

}  // namespace gemmtune
