#include "gemmtune/cli/fleet/fleet_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/fleet/host_report.h"
#include "gemmtune/fleet/run_folder.h"
#include "gemmtune/fleet/slurm.h"
#include "gemmtune/report/diagnosis.h"

namespace gemmtune {
namespace {

std::string files_text(const JobReport& job) {
  std::string text;
  for (const auto& file : job.files)
    text += fmt::format("    {}, {} bytes, {}\n", file.name, file.bytes, file.modified_utc);
  return text;
}

/// The last lines of the log, and what is known of errors in them.
std::string log_text(const JobReport& job) {
  std::string text;
  for (const auto& line : job.log) text += fmt::format("    {}\n", line);
  for (const auto& finding : diagnose(join(job.log, "\n")).findings)
    text += fmt::format("    known error: {}: {}\n", finding.error->name, finding.error->fix);
  return text;
}

std::string job_text(const JobReport& job) {
  return fmt::format("  {}: {}, {} of {} shapes\n{}{}", job.name, job.state, job.shapes, job.of, files_text(job),
                     log_text(job));
}

std::string host_text(const HostReport& report) {
  if (!report.why_not.empty()) return fmt::format("{}: {}\n", report.host, report.why_not);
  const auto running = std::ranges::count_if(report.jobs, &JobReport::is_running);
  auto text = fmt::format("{}: {} of {} jobs run, {} MB of disk free\n", report.host, running, report.jobs.size(),
                          report.disk_free_mb);
  for (std::size_t i = 0; i < report.gpus.size(); ++i)
    text += fmt::format("  GPU {}: {}, {}\n", i, report.gpus[i].name, report.gpus[i].use);
  for (const auto& container : report.containers) text += fmt::format("  container {}\n", container);
  for (const auto& job : report.jobs) text += job_text(job);
  return text;
}

}  // namespace

int show_status_of_hosts(const std::string& hosts_file) {
  const auto reports = report_of_hosts(read_hosts(hosts_file));
  for (const auto& report : reports) print_text("{}", host_text(report));
  return std::ranges::all_of(reports, [](const auto& report) { return report.why_not.empty(); }) ? 0 : 1;
}

int show_status_of_slurm(const std::string& job, std::size_t lines) {
  if (!is_job_number(job)) fail(ErrorCode::usage, "--slurm: found '{}', expected the number of a job", job);
  const std::filesystem::path folder = folder_of_job(job);
  const RunFolder run(folder);
  std::error_code error;
  if (folder.empty()) fail(ErrorCode::input, "Slurm does not know the job {}", job);
  if (!std::filesystem::exists(run.plan(), error))
    fail(ErrorCode::input, "the job {} in {} is none of gemmtune's", job, folder.string());
  const auto plan = read_plan(run.plan());
  print_text("job {} in {}: {} of {} shards are finished\n", job, folder.string(), run.finished().size(), plan.shards);
  std::vector<std::vector<std::string>> rows{{"task", "state", "node", "reason"}};
  for (const auto& task : tasks_of(job)) rows.push_back({task.id, task.state, task.node, task.reason});
  print_text("{}\n", text_grid(rows, {}));
  for (const auto& each : jobs_in(folder, lines))
    if (each.state != "waiting") print_text("{}", job_text(each));
  return 0;
}

}  // namespace gemmtune
