// Every trial, kept: SQLite in WAL mode, one file. What a tuning run resumes from, and what tables and reports are
// views of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// Under which circumstances a trial was made. Two trials of equal context, problem, candidate and stage are the same
/// trial. Contexts count as equal when they differ in nothing but the device's index and memory: the cards of one host
/// are alike.
struct TrialContext {
  DeviceInfo device{};
  std::string family_version{};
  EvaluationPolicy policy{};
};

struct Trial {
  std::int64_t id{};
  std::string time_utc{};
  Problem problem{};
  Evaluation evaluation{};
  TrialContext context{};
};

/// How long a right candidate took, without the circumstances.
struct TrialTime {
  Problem problem{};
  std::string family{};
  std::string candidate{};
  double median_us{};
};

/// A candidate that killed or hung its worker on a device: not tried again.
struct Quarantined {
  std::string device{};  // its model: "NVIDIA H100 80GB HBM3 (sm90)"
  Problem problem{};
  Candidate candidate{};
  Outcome outcome{Outcome::crashed};  // or timed_out
  std::string reason{};
  std::string reproducer{};  // a command that shows it
};

/// What `gemmtune status` shows of a run. A run whose process is gone and whose state is not an end was killed.
struct Run {
  std::int64_t id{};
  std::string begun_utc{};
  std::string heartbeat_utc{};
  std::string command_line{};
  std::string host{};
  std::int64_t pid{};
  std::int64_t shapes{};
  std::int64_t shapes_done{};
  std::int64_t shapes_failed{};
  std::string state{};  // "running", then what the caller says: "done", "stopped"
};

/// What came of one shape of a run.
struct RunResult {
  std::string time_utc{};  // set by the store
  Problem problem{};
  std::string winner{};  // empty where there is none
  double time_us{};
  std::string default_choice{};  // what users have without tuning; empty where it is not known
  double default_us{};
  std::string why_failed{};

  /// How many times as fast as the default choice the winner is.
  std::optional<double> gain() const;
};

/// What a run had to say.
struct RunLine {
  std::string time_utc{};
  std::string text{};
};

/// What a run writes.
struct RunFile {
  std::string kind{};  // "table", "profile"
  std::string path{};  // absolute
};

/// May be used by several threads at a time.
///
/// What is written survives this process at once, and the machine once a result or a quarantined candidate follows:
/// a disk's answer to every trial would take longer than most trials.
class TrialStore {
 public:
  /// Opens or makes the file and takes its writer's lock for this process's life. A second writer gets Error{io} naming
  /// the first's process id and host. Throws Error{io} when the folder is not there or not writable, Error{input} when
  /// the file is no store or one of a newer version.
  static TrialStore open(const std::filesystem::path& path);

  /// For looking only: no lock, nothing written, works beside a writer.
  static TrialStore open_read_only(const std::filesystem::path& path);

  ~TrialStore();
  TrialStore(TrialStore&&) noexcept;
  TrialStore& operator=(TrialStore&&) noexcept;

  /// Throws Error{io} when the disk is full; what was there before stays.
  void add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// The latest trial of this candidate at this stage in an equal context, if any.
  std::optional<Evaluation> find(const Problem& problem, const Candidate& candidate, Stage stage,
                                 const TrialContext& context) const;

  std::vector<Trial> all() const;
  std::vector<Trial> of(const Problem& problem) const;

  /// Of all right trials on devices of this name and architecture, in the order in which they were made.
  std::vector<TrialTime> times(const DeviceInfo& device) const;

  /// Once for each device, problem and candidate: the first entry stays.
  void quarantine(const Quarantined& entry);
  std::vector<Quarantined> quarantined() const;

  /// One row for each run: begun, heartbeat, shapes done of all; for `gemmtune status`.
  std::int64_t begin_run(const std::string& command_line, std::int64_t shape_count);
  void update_run(std::int64_t run, std::int64_t shapes_done, std::int64_t shapes_failed, const std::string& state);
  std::vector<Run> runs() const;

  /// What belongs to a run. A shape's later result replaces its earlier one. Stores of the first version have none of
  /// this until they are opened for writing.
  void add_result(std::int64_t run, const RunResult& result);
  void add_line(std::int64_t run, const std::string& text);
  void add_file(std::int64_t run, const RunFile& file);
  std::vector<RunResult> results(std::int64_t run) const;
  std::vector<RunLine> last_lines(std::int64_t run, std::int64_t count) const;
  std::vector<RunFile> files(std::int64_t run) const;

  /// How many trials came to what while this run went on, from its beginning to its heartbeat.
  std::map<Outcome, std::int64_t> outcomes_during(const Run& run) const;

 private:
  struct State;
  explicit TrialStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
