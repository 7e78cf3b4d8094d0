// What gemmtune asks of Slurm: an array of tasks is submitted, watched, cancelled, and kept from nodes that are wrong.
// Slurm's own programs do it. Not: which shards a task runs (fleet/slurm_run.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct SlurmChoice {
  std::string partition{};
  std::vector<std::string> options{};  // of sbatch and srun, as they are
  std::int64_t limit_s{};              // for a task
};

struct SlurmArray {
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

/// Returns the number of the job. Each throws Error{io} with Slurm's words.
std::string submit_array(const SlurmChoice& choice, const SlurmArray& array);

/// Runs a command on one node, in this folder, and returns the lines that it prints.
std::vector<std::string> run_on_a_node(const SlurmChoice& choice, const std::filesystem::path& folder,
                                       const std::vector<std::string>& command);

/// The tasks that wait or run; none if the job is not known any more.
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
