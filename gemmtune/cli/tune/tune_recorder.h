// Writes down what a tuning run finds, as it finds it: the table and the profile after every shape, progress in
// between, and for `gemmtune status` a heartbeat, results and messages in the store.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "gemmtune/cli/tune/profile_file.h"
#include "gemmtune/cli/tune/progress.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/trials/store.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Where results go.
struct TuneOutputs {
  std::filesystem::path table{};
  bool sort{true};
  ProfileFile profile;
  TrialStore& store;
  std::map<std::string, std::string> library_versions{};  // of families, for tables that say where rows come from
  std::string policy{};
};

/// The row with what it was measured on and how, and the time of now. `library` is the kernel's, with its version.
TunedRow with_origin(TunedRow row, const DeviceInfo& device, std::string library, std::string policy);

class TuneRecorder final : public TuneObserver {
 public:
  /// `stop` tells whether a shape was cut short by the user, who will want to go on with it; such a shape is not
  /// written.
  TuneRecorder(const DeviceInfo& device, TuneOutputs outputs, Progress& progress, const std::atomic<bool>& stop);

  /// Writes the table as it is at once: an output that cannot be written shows before the work, not after.
  void begin(TunedTable table, const std::string& command_line, std::size_t shape_count);
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
  void write_table();
  void tell(const ShapeResult& result);
  void beat();

  DeviceInfo device_;
  TuneOutputs outputs_;
  Progress& progress_;
  const std::atomic<bool>& stop_;
  TunedTable table_{};
  std::map<Problem, Evaluations> evaluations_;  // of the shapes under way, one for each candidate
  std::int64_t run_{};                          // in the store
  std::int64_t done_{};
  std::int64_t failed_{};
  std::int64_t shapes_{};
  SteadyClock::time_point last_beat_{SteadyClock::now()};
};

}  // namespace gemmtune
