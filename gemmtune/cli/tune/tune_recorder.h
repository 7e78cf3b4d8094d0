// Records the findings of a tuning run while it runs: the table and the profile after every shape, the progress in
// between, and a heartbeat, results and messages in the store for `gemmtune status`.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "gemmtune/cli/tune/profile_file.h"
#include "gemmtune/cli/tune/progress.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/table/shared_table.h"
#include "gemmtune/trials/store.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Where the results of a run are written.
struct TuneOutputs {
  SharedTable table;
  ProfileFile profile;
  TrialStore& store;
  std::map<std::string, std::string> library_versions{};  // by family, for tables that record the origin of rows
  std::string policy{};
};

/// The row with its origin: device, policy, the current time, and the kernel's library with its version (`library`).
TunedRow with_origin(TunedRow row, const DeviceInfo& device, std::string library, std::string policy);

class TuneRecorder final : public TuneObserver {
 public:
  /// `stop` tells whether a shape was cut short by the user, who will want to go on with it; such a shape is not
  /// written.
  TuneRecorder(const DeviceInfo& device, TuneOutputs outputs, Progress& progress, const std::atomic<bool>& stop);

  /// Writes the unchanged table at once, so that an output that cannot be written is found before the work and not
  /// after.
  void begin(const std::string& command_line, std::size_t shape_count);

  /// Hands the results to what takes them only once, as a FIFO.
  void end(const std::string& state);

  void shape_started(const Shape& shape, std::size_t candidate_count) override;
  void candidate_done(const Shape& shape, const Evaluation& evaluation, bool from_store) override;
  void shape_done(const ShapeResult& result) override;
  void worker_remark(std::size_t worker, const std::string& remark) override;
  void worker_lost(std::size_t worker, const std::string& why) override;

 private:
  using Evaluations = std::map<Candidate, Evaluation>;

  TunedRow row_for(const Problem& problem, const Evaluation& evaluation) const;
  void write(const ShapeResult& result);
  void tell(const ShapeResult& result);
  void beat();

  DeviceInfo device_;
  TuneOutputs outputs_;
  Progress& progress_;
  const std::atomic<bool>& stop_;
  std::map<Problem, Evaluations> evaluations_;  // of the running shapes, one for each candidate
  std::int64_t run_{};                          // in the store
  std::int64_t done_{};
  std::int64_t failed_{};
  std::int64_t shapes_{};
  SteadyClock::time_point last_beat_{SteadyClock::now()};
};

}  // namespace gemmtune
