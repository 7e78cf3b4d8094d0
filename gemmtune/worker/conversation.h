// The supervisor's side of the conversation with workers of one command: starts one when it is needed, greets it, sends
// a request and reads replies, and drops a worker that has failed.
//
// Not: what a failure means for a candidate (worker/batch_run.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/worker/worker_process.h"

namespace gemmtune {

struct RemoteOptions {
  std::string name{};                                // for messages; "" for the command
  std::vector<std::string> command{};                // argv of the worker
  std::map<std::string, std::string> environment{};  // added to that of this process
  double start_timeout_s{60};                        // from start to hello
  double candidate_timeout_s{1800};                  // longest silence while a candidate runs (AITER's --timeout)
  double query_timeout_s{60};                        // for device, supports and candidates
  int start_attempts{3};  // workers in a row that may fail to say hello before Error{protocol}
  std::int64_t
      memory_limit_bytes{};  // of address space for the worker, 0: none; GPU runtimes reserve far more than they use
};

struct RemoteStatistics {
  std::int64_t starts{};
  std::int64_t crashes{};
  std::int64_t timeouts{};
  std::int64_t protocol_errors{};
  double waiting_s{};  // time spent waiting for the worker
};

/// A point in time so many seconds from now; at most a year.
Deadline seconds_from_now(double seconds);

/// "the worker broke the protocol: …".
std::string broke_the_protocol(const std::string& how);

class Conversation {
 public:
  using Received = std::variant<nlohmann::json, WorkerFault>;

  explicit Conversation(RemoteOptions options) : options_(std::move(options)) {}

  const RemoteOptions& options() const { return options_; }
  const RemoteStatistics& statistics() const { return statistics_; }
  std::string name() const;

  /// Starts a worker if there is none, and does not wait for its hello. Throws Error{io} if the command cannot be
  /// started.
  void launch();

  /// Makes sure that a worker is ready that has said hello. Returns the interrupt when one prevented that. Throws
  /// Error{no_device} when the worker says that it cannot start, and Error{protocol} when none says hello.
  std::optional<WorkerFault> ensure_worker();

  /// Whether the worker of the last request is still there. One that has ended since is dropped.
  bool lives();

  /// As the first worker named them. Known once a worker was there.
  const std::optional<DeviceInfo>& device() const { return device_; }
  std::int64_t protocol() const { return protocol_; }
  bool compiles_ahead() const { return compiles_ahead_; }

  /// Sends the request with a new id, which is returned; receive() reads what comes then. A worker must be there.
  std::int64_t send(nlohmann::json request);
  Received receive(Deadline deadline);

  /// Sends the request, and reads its only reply, whose type is one of these or "error".
  Received exchange(const nlohmann::json& request, const std::vector<std::string>& types, double patience_s);

  /// The same question, put to fresh workers until one answers. Throws when none does, and Error{unsupported} when one
  /// answers with an error.
  nlohmann::json ask(const nlohmann::json& question);

  void drop_worker(const WorkerFault& fault);

  /// Ends a worker that is in the middle of a request, or after the last one.
  void abandon() { worker_.reset(); }
  void dismiss();

  /// interrupt() may be called from another thread. Until resume(), whatever waits for a worker returns.
  void interrupt() { interrupted_ = true; }
  void resume() { interrupted_ = false; }
  bool interrupted() const { return interrupted_; }

 private:
  bool has_greeted() const { return worker_ && is_greeted_; }
  std::optional<WorkerFault> greet();
  void read_hello(const nlohmann::json& message);

  RemoteOptions options_;
  RemoteStatistics statistics_{};
  std::atomic<bool> interrupted_{false};
  std::optional<WorkerProcess> worker_{};
  std::optional<DeviceInfo> device_{};
  bool is_greeted_{};  // the present worker
  std::int64_t protocol_{};
  bool compiles_ahead_{};
  std::int64_t last_id_{};
};

}  // namespace gemmtune
