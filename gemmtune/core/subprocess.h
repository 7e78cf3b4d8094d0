// A child process with pipes on its three standard streams, for workers that may crash, hang, or write without end.
//
// It is neither a shell nor a pool. Every wait has a deadline. May be used by one thread at a time.
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

/// How a child ended. describe() gives it in words: "exited with 3", "killed by signal 11 (SIGSEGV)".
struct ExitStatus {
  bool signalled{};
  int code{};  // exit code, or the signal's number

  std::string describe() const;
  bool operator==(const ExitStatus&) const = default;
};

struct SubprocessOptions {
  std::map<std::string, std::string> environment{};  // added to that of this process
  std::size_t stderr_kept_bytes{16 * 1024};          // this much of the end of stderr is kept
  std::size_t line_limit_bytes{64 * 1024 * 1024};    // a longer line is a protocol error
  std::int64_t memory_limit_bytes{};  // limit of the address space (RLIMIT_AS); 0: none. GPU runtimes reserve far more
                                      // than they use
};

enum class ReadStatus { line, timed_out, closed, too_long };

struct ReadResult {
  ReadStatus status{};
  std::string line{};  // without its newline; for closed and too_long, the beginning of the unfinished line
};

/// Starts `command` (argv, found on PATH) in its own process group. The group is killed when the child ends and when
/// this object is destroyed. The child also dies with the thread that made this object (PR_SET_PDEATHSIG), and so with
/// the parent process.
class Subprocess {
 public:
  /// Throws Error{io} with the system's reason when the command cannot be started.
  explicit Subprocess(const std::vector<std::string>& command, SubprocessOptions options = {});
  ~Subprocess();
  Subprocess(Subprocess&&) noexcept;
  Subprocess& operator=(Subprocess&&) noexcept;

  pid_t pid() const;

  /// Writes the line and a newline. False when the child has closed its stdin, or does not read the line before the
  /// deadline.
  bool write_line(std::string_view line, Deadline deadline);

  /// The next line of stdout. Reads stderr meanwhile, so that a child that writes much cannot block.
  ReadResult read_line(Deadline deadline);

  void close_stdin();

  /// The end of what the child has written to stderr so far.
  std::string stderr_tail() const;

  /// Waits until the child ends, at most until the deadline.
  std::optional<ExitStatus> wait(Deadline deadline);

  /// Sends SIGKILL to the whole group and waits. A process that the kernel cannot end (in a hung driver) is given up
  /// after ten seconds.
  ExitStatus kill();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
