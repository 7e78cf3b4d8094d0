#include "gemmtune/fleet/slurm.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

constexpr auto patience = std::chrono::minutes(2);
constexpr auto queue_patience = std::chrono::hours(24);  // a node may be free tomorrow

constexpr auto silence_allowed = std::chrono::minutes(5);
constexpr auto pause = std::chrono::seconds(2);

struct Said {
  bool is_fine{};
  std::vector<std::string> lines{};
  std::string why{};
};

Said said_by(const std::vector<std::string>& command, std::chrono::seconds limit = patience) {
  Subprocess process(command);
  process.close_stdin();
  const auto deadline = std::chrono::steady_clock::now() + limit;
  Said said;
  for (auto read = process.read_line(deadline); read.status == ReadStatus::line; read = process.read_line(deadline))
    said.lines.push_back(read.line);
  const auto ended = process.wait(deadline);
  said.is_fine = ended && *ended == ExitStatus{};
  said.why = visible_line(process.stderr_tail(), 300);
  return said;
}

std::vector<std::string> lines_of(const std::vector<std::string>& command, std::chrono::seconds limit = patience) {
  auto said = said_by(command, limit);
  if (!said.is_fine) fail(ErrorCode::io, "{}: {}", command.front(), said.why);
  return std::move(said.lines);
}

void add_choice(std::vector<std::string>& command, const SlurmChoice& choice) {
  if (!choice.partition.empty()) command.push_back("--partition=" + choice.partition);
  command.insert(command.end(), choice.options.begin(), choice.options.end());
}

/// The lines of squeue; none for a job that Slurm does not know any more.
std::vector<std::string> queued(const std::vector<std::string>& words) {
  std::vector<std::string> command{"squeue", "--noheader"};
  command.insert(command.end(), words.begin(), words.end());
  const auto start = std::chrono::steady_clock::now();
  bool is_told = false;
  for (;;) {
    auto said = said_by(command);
    if (said.is_fine) return std::move(said.lines);
    if (said.why.find("Invalid job id") != std::string::npos) return {};
    if (std::chrono::steady_clock::now() - start > silence_allowed) fail(ErrorCode::io, "squeue: {}", said.why);
    if (!is_told) spdlog::warn("squeue: {}; asking again, for at most 5 minutes", said.why);
    is_told = true;
    std::this_thread::sleep_for(pause);
  }
}

/// A path that may begin with a dash or hold commas is one word of "--name=value".
std::string in_minutes(std::int64_t seconds) { return std::to_string(seconds / 60 + 10); }

}  // namespace

std::vector<std::string> sbatch_command(const SlurmChoice& choice, const SlurmArray& array) {
  std::vector<std::string> command{"sbatch",
                                   "--parsable",
                                   "--requeue",
                                   "--open-mode=append",
                                   fmt::format("--array=0-{}", array.count - 1),
                                   "--chdir=" + array.folder.string(),
                                   "--output=slurm/%A_%a.log",
                                   "--time=" + in_minutes(choice.limit_s)};
  if (!array.excluded_nodes.empty()) command.push_back("--exclude=" + join(array.excluded_nodes, ","));
  add_choice(command, choice);
  command.push_back("--job-name=" + array.name);  // after the options of the user, who may have named it, too
  command.push_back((array.folder / "slurm.sh").string());
  command.push_back(array.tasks);
  return command;
}

std::string submit_array(const SlurmChoice& choice, const SlurmArray& array) {
  auto command = sbatch_command(choice, array);
  command.insert(command.begin(), {"flock", (array.folder / submitting_lock).string()});
  const auto lines = lines_of(command);
  const auto job = lines.empty() ? std::string() : lines.back().substr(0, lines.back().find(';'));
  if (!is_job_number(job)) fail(ErrorCode::io, "sbatch: found '{}', expected the number of a job", visible_start(job));
  return job;
}

std::vector<std::string> run_on_a_node(const SlurmChoice& choice, const std::filesystem::path& folder,
                                       const std::vector<std::string>& command) {
  std::vector<std::string> words{"srun", "--ntasks=1", "--chdir=" + folder.string()};
  add_choice(words, choice);
  words.insert(words.end(), command.begin(), command.end());
  return lines_of(words, std::chrono::duration_cast<std::chrono::seconds>(queue_patience));
}

std::vector<SlurmTask> parse_tasks(const std::vector<std::string>& lines) {
  std::vector<SlurmTask> tasks;
  for (const auto& line : lines) {
    const auto cells = split(line, '|');
    if (cells.size() < 4) continue;
    tasks.push_back(
        {.id = visible(cells[0]), .state = visible(cells[1]), .node = visible(cells[2]), .reason = visible(cells[3])});
  }
  return tasks;
}

std::vector<SlurmTask> tasks_of(const std::string& job) {
  return parse_tasks(queued({"--jobs=" + job, "--format=%i|%T|%N|%r"}));
}

std::string job_of_name(const std::string& name) {
  const auto lines = queued({"--name=" + name, "--format=%F"});
  const auto job = lines.empty() ? std::string() : std::string(trim(lines.front()));
  return is_job_number(job) ? job : std::string();
}

void cancel_job(const std::string& job) { lines_of({"scancel", job}); }

void keep_from_node(const std::string& job, const std::vector<std::string>& nodes) {
  said_by({"scontrol", "update", "JobId=" + job, "ExcNodeList=" + join(nodes, ",")});
}

std::string folder_of_job(const std::string& job) {
  const auto said = said_by({"scontrol", "--oneliner", "show", "job", job});
  if (!said.is_fine || said.lines.empty()) return {};
  constexpr std::string_view key = " WorkDir=";
  const auto& line = said.lines.front();
  const auto at = line.find(key);
  if (at == std::string::npos) return {};
  const auto rest = line.substr(at + key.size());
  const auto end = std::min(rest.find(" StdErr="), rest.find(" StdIn="));
  return rest.substr(0, end);
}

bool is_job_number(const std::string& job) {
  return !job.empty() && std::ranges::all_of(job, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace gemmtune
