// The store of all trials: one SQLite file in WAL mode. Tuning runs resume from it, and tables and reports are views of
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// The conditions under which a trial was made. Trials with equal context, problem, candidate and stage are repetitions
/// of the same trial. Contexts are equal when they differ only in the index and the memory of the device, because the
/// devices of one host are alike.
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

/// The time of a correct candidate, without the context.
struct TrialTime {
  Problem problem{};
  std::string family{};
  std::string candidate{};
  double median_us{};
};

/// A candidate that crashed or hung its worker on a device, and that is not tried again.
struct Quarantined {
  std::int64_t id{};       // set by the store
  std::string time_utc{};  // likewise
  std::string device{};    // the device's model: "NVIDIA H100 80GB HBM3 (sm90)"
  Problem problem{};
  Candidate candidate{};
  Outcome outcome{Outcome::crashed};  // or timed_out
  std::string reason{};
  std::string reproducer{};  // a command that repeats the failure
};

/// The device's model, as it stands in Quarantined: devices of one model share their quarantine.
std::string model_of(const DeviceInfo& device);

/// A row that cannot be read. It is skipped, as if it were not there.
struct DamagedRow {
  std::string table{};
  std::int64_t id{};
  std::string why{};

  auto operator<=>(const DamagedRow&) const = default;
};

/// "row 17 of trials: it has samples that cannot be read: …".
std::string to_string(const DamagedRow& row);

/// What TrialStore::absorb() copied.
struct Absorbed {
  std::int64_t trials{};
  std::int64_t quarantined{};
};

/// The state of a run whose budget ended before all shapes were done.
constexpr std::string_view out_of_time = "out of time";

/// What `gemmtune status` shows of a run. A run whose state is "running" and whose process is gone was killed.
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
  std::string state{};  // "running", then what the caller sets: "done", "stopped" or out_of_time
};

/// The result of one shape of a run.
struct RunResult {
  std::string time_utc{};  // set by the store
  Problem problem{};
  std::string winner{};  // empty when there is none
  double time_us{};
  std::string default_choice{};  // what users have without tuning; empty when it is not known
  double default_us{};
  std::string why_failed{};
  std::string claim{};  // what the search states of its regret, in words, or why it states nothing; empty when the
                        // search is none that states a regret
  double weight{1};     // number of calls, and the layer of the model, as the list of shapes says them
  std::string layer{};
  double low_us{};  // the 95 % intervals of both times; 0 when they are not known
  double high_us{};
  double default_low_us{};
  double default_high_us{};

  /// The time of the default choice divided by the time of the winner; empty when one of them is not known.
  std::optional<double> gain() const;
};

/// A message of a run.
struct RunLine {
  std::string time_utc{};
  std::string text{};
};

/// A file that a run writes.
struct RunFile {
  std::string kind{};  // "table", "profile"
  std::string path{};  // absolute
};

/// May be used by several threads at a time.
///
/// Everything written survives the end of this process at once. It survives a crash of the machine as soon as a result
/// or a quarantined candidate has been written after it: syncing the disk for every trial would take longer than most
/// trials.
class TrialStore {
 public:
  /// Opens or creates the file, and holds its writer's lock for as long as this object lives. A second writer gets
  /// Error{io} that names the process id and the host of the first. Throws Error{io} when the folder does not exist or
  /// is not writable, and Error{input} when the file is not a store or belongs to a newer version.
  static TrialStore open(const std::filesystem::path& path);

  /// Opens for reading only: takes no lock, writes nothing, and works beside a writer.
  static TrialStore open_read_only(const std::filesystem::path& path);

  ~TrialStore();
  TrialStore(TrialStore&&) noexcept;
  TrialStore& operator=(TrialStore&&) noexcept;

  /// Throws Error{io} when the disk is full. Earlier contents are kept.
  void add(const Problem& problem, const Evaluation& evaluation, const TrialContext& context);

  /// The latest trial of this candidate at this stage in an equal context, if any. None if it cannot be read.
  std::optional<Evaluation> find(const Problem& problem, const Candidate& candidate, Stage stage,
                                 const TrialContext& context) const;

  std::vector<Trial> all() const;
  std::vector<Trial> of(const Problem& problem) const;

  /// The times of all correct trials on devices of this name and architecture, in the order in which they were made.
  std::vector<TrialTime> times(const DeviceInfo& device) const;

  /// Keeps one entry for each device, problem and candidate: the first one.
  void quarantine(const Quarantined& entry);
  std::vector<Quarantined> quarantined() const;

  /// Takes an entry out of the quarantine. The candidate may be tried again: find() does not know its crashes and hangs
  /// up to now any more. They are kept.
  void lift(const Quarantined& entry);

  /// Copies the trials and the quarantined candidates of another store, with their times and devices; of these problems
  /// alone, if there are any. What was copied before is not copied again. A crash or a hang that was lifted there is
  /// left out. The other store is not changed, but what a killed writer left beside it is taken in. Throws Error{input}
  /// if it is no store of this version.
  Absorbed absorb(const std::filesystem::path& from, const std::set<Problem>& only = {});

  /// One row for each run, for `gemmtune status`: its beginning, its heartbeat, and the number of finished shapes.
  std::int64_t begin_run(const std::string& command_line, std::int64_t shape_count);
  void update_run(std::int64_t run, std::int64_t shapes_done, std::int64_t shapes_failed, const std::string& state);
  std::vector<Run> runs() const;

  /// The details of a run. A later result of a shape replaces the earlier one. Stores of the first schema version have
  /// no details until they are opened for writing.
  void add_result(std::int64_t run, const RunResult& result);
  void add_line(std::int64_t run, const std::string& text);
  void add_file(std::int64_t run, const RunFile& file);
  std::vector<RunResult> results(std::int64_t run) const;
  std::vector<RunLine> last_lines(std::int64_t run, std::int64_t count) const;
  std::vector<RunFile> files(std::int64_t run) const;

  /// The number of trials by outcome, from the beginning of the run to its heartbeat.
  std::map<Outcome, std::int64_t> outcomes_during(const Run& run) const;

  /// The rows that had to be skipped so far.
  std::vector<DamagedRow> damaged() const;

  /// Reads everything. Returns what SQLite finds wrong with the file, and the rows that cannot be read.
  std::vector<std::string> check() const;

 private:
  struct State;
  explicit TrialStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gemmtune
