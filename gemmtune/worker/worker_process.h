// One life of a worker: started, listened to, ended. What its failures mean for candidates is remote_evaluator.h's
// business.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/core/subprocess.h"

namespace gemmtune {

/// Why a worker is of no use any more.
struct WorkerFault {
  enum class Kind {
    died,         // its process ended, or closed its stdout
    silent,       // nothing came before the deadline
    nonsense,     // what came breaks the protocol
    interrupted,  // nobody waits for the answer any more
  };

  Kind kind{};
  std::string reason{};
};

class WorkerProcess {
 public:
  /// Throws Error{io} when the command cannot be started. `interrupted` must outlive this.
  WorkerProcess(const std::vector<std::string>& command, SubprocessOptions options,
                const std::atomic<bool>& interrupted);

  /// False when it does not take the message before the deadline; receive() then tells why.
  bool send(const nlohmann::json& message, Deadline deadline);

  std::variant<nlohmann::json, WorkerFault> receive(Deadline deadline);

  /// What is wrong with it between requests, if anything: it has ended, or says what nobody asked for.
  std::optional<WorkerFault> fault_while_idle();

  /// Says bye and waits a little, then kills.
  void dismiss();

  pid_t pid() const { return child_.pid(); }

 private:
  ReadResult read_line(Deadline deadline);
  WorkerFault last_words(const std::string& half_line);

  Subprocess child_;
  const std::atomic<bool>& interrupted_;
};

}  // namespace gemmtune
