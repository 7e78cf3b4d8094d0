// A child process with pipes on its three standard streams, for workers that may crash, hang or flood.
//
// Not a shell, not a pool. All waits have a deadline; nothing here blocks for ever. Not for two threads at once.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

using Deadline = std::chrono::steady_clock::time_point;

/// What became of a child, in words a person can act on: "exited with 3", "killed by signal 11 (SIGSEGV)".
struct ExitStatus {
  bool signalled{};
  int code{};  // exit code, or the signal's number

  std::string describe() const;
  bool operator==(const ExitStatus&) const = default;
};

struct SubprocessOptions {
  std::map<std::string, std::string> environment{};  // added to ours
  std::size_t stderr_kept_bytes{16 * 1024};          // the end of stderr is kept, the rest dropped
  std::size_t line_limit_bytes{64 * 1024 * 1024};    // a longer line is a protocol error
  std::int64_t memory_limit_bytes{};  // of address space (RLIMIT_AS); 0: none. GPU runtimes reserve far more
                                      // than they use
};

enum class ReadStatus { line, timed_out, closed, too_long };

struct ReadResult {
  ReadStatus status{};
  std::string line{};  // without its newline; when closed or too_long, the start of what came without one
};

/// Starts `command` (argv, found on PATH) in its own process group. The group dies when the child ends and with this
/// object; the child dies with the thread that made this object (that is what Linux offers: PR_SET_PDEATHSIG), hence
/// with the parent.
class Subprocess {
 public:
  /// Throws Error{io} with the system's reason when the command cannot be started.
  explicit Subprocess(const std::vector<std::string>& command, SubprocessOptions options = {});
  ~Subprocess();
  Subprocess(Subprocess&&) noexcept;
  Subprocess& operator=(Subprocess&&) noexcept;

  pid_t pid() const;

  /// Writes line and newline. False when the child has closed its stdin or does not take it before the deadline.
  bool write_line(std::string_view line, Deadline deadline);

  /// The next line of stdout. Drains stderr meanwhile, so that a chatty child cannot block.
  ReadResult read_line(Deadline deadline);

  void close_stdin();

  /// The end of what it wrote to stderr so far.
  std::string stderr_tail() const;

  /// Waits for its end until the deadline.
  std::optional<ExitStatus> wait(Deadline deadline);

  /// SIGKILL to the whole group, and waits. A process that the kernel cannot end (a hung driver) is given up after ten
  /// seconds.
  ExitStatus kill();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
