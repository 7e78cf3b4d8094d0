// One worker process: starts it, talks to it, ends it. What its failures mean for candidates is decided in
// remote_evaluator.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/core/subprocess.h"

namespace gemmtune {

/// Why a worker can no longer be used.
struct WorkerFault {
  enum class Kind {
    died,         // its process ended, or closed its stdout
    silent,       // nothing came before the deadline
    nonsense,     // what came breaks the protocol
    interrupted,  // the answer is no longer wanted
  };

  Kind kind{};
  std::string reason{};
  bool from_outside{};  // a signal that kernels do not send themselves: an administrator, or the memory killer
};

class WorkerProcess {
 public:
  /// Throws Error{io} when the command cannot be started. `interrupted` must outlive this.
  WorkerProcess(const std::vector<std::string>& command, SubprocessOptions options,
                const std::atomic<bool>& interrupted);

  /// False when the worker does not take the message before the deadline; receive() then says why.
  bool send(const nlohmann::json& message, Deadline deadline);

  std::variant<nlohmann::json, WorkerFault> receive(Deadline deadline);

  /// The fault of a worker between two requests, if there is one: it has ended, or it has written without being asked.
  std::optional<WorkerFault> fault_while_idle();

  /// Sends bye, waits a few seconds, then kills the process.
  void dismiss();

  pid_t pid() const { return child_.pid(); }

 private:
  ReadResult read_line(Deadline deadline);
  WorkerFault last_words(const std::string& half_line);

  Subprocess child_;
  std::int64_t memory_kills_before_;
  const std::atomic<bool>& interrupted_;
};

}  // namespace gemmtune
