// What gemmtune asks of Slurm: an array of tasks is submitted, watched, cancelled, and kept from nodes that are wrong.
// Slurm's own programs do it. Not: which shards a task runs (fleet/slurm_run.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

/// A file in a run's folder: locked while sbatch runs.
constexpr const char* submitting_lock = "submitting";

struct SlurmChoice {
  std::string partition{};
  std::vector<std::string> options{};  // of sbatch and srun, as they are
  std::int64_t limit_s{};              // for a task
};

struct SlurmArray {
  std::string name{};              // by which the array is found again
  std::filesystem::path folder{};  // of the run: the tasks' working folder
  std::string tasks{};             // the file with a shard in each line
  std::size_t count{};
  std::vector<std::string> excluded_nodes{};
};

/// "123_[4-9]", "PENDING", "node7", "Priority".
struct SlurmTask {
  std::string id{};
  std::string state{};
  std::string node{};
  std::string reason{};

  bool operator==(const SlurmTask&) const = default;
};

/// The command that submits the array.
std::vector<std::string> sbatch_command(const SlurmChoice& choice, const SlurmArray& array);

/// Returns the number of the job. Each throws Error{io} with Slurm's words. An sbatch that outlives its head, because
/// that was killed, holds the lock `submitting` beside the tasks until Slurm has answered.
std::string submit_array(const SlurmChoice& choice, const SlurmArray& array);

/// The number of the array of this name that waits or runs; "" if there is none.
std::string job_of_name(const std::string& name);

/// Runs a command on one node, in this folder, and returns the lines that it prints.
std::vector<std::string> run_on_a_node(const SlurmChoice& choice, const std::filesystem::path& folder,
                                       const std::vector<std::string>& command);

/// The tasks that wait or run; none if the job is not known any more. Slurm may be silent for some minutes: its
/// controller is started anew at times.
std::vector<SlurmTask> tasks_of(const std::string& job);
void cancel_job(const std::string& job);

/// Tasks that wait do not go to this node. Where Slurm refuses, they may.
void keep_from_node(const std::string& job, const std::vector<std::string>& nodes);

/// The working folder of a job that Slurm still knows; "" if it does not.
std::string folder_of_job(const std::string& job);

/// Whether a job's name is a number, as those of arrays are.
bool is_job_number(const std::string& job);

/// Lines of squeue, as tasks_of() asks for them.
std::vector<SlurmTask> parse_tasks(const std::vector<std::string>& lines);

}  // namespace gemmtune
