#include "gemmtune/fleet/host_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::seconds(60);

std::int64_t number(std::string_view text) { return parse_int(trim(text)).value_or(0); }

JobFile file_of(std::string_view text) {
  const auto size_at = text.find(' ');
  const auto time_at = text.rfind(' ');
  if (size_at == std::string_view::npos || time_at == size_at) return {.name = visible_start(text)};
  return {.name = visible(text.substr(0, size_at)),
          .bytes = number(text.substr(size_at + 1, time_at - size_at - 1)),
          .modified_utc = visible(text.substr(time_at + 1))};
}

void note(JobReport& job, std::string_view key, std::string_view value) {
  if (key == "state" && value != "ended") job.state = visible_start(value);
  if (key == "exit") job.state = "ended with " + visible_start(value);
  if (key == "shapes") job.shapes = number(value);
  if (key == "of") job.of = number(value);
  if (key == "file") job.files.push_back(file_of(value));
  if (key == "log") job.log.push_back(visible_start(value, 400));
}

void note(HostReport& report, std::string_view key, std::string_view value) {
  if (key == "gpu") report.gpus.push_back(gpu_use(std::string(value)));
  if (key == "container") report.containers.push_back(visible_start(value));
  if (key == "disk_free_kb") report.disk_free_mb = number(value) / 1024;
  if (key == "job") report.jobs.push_back({.name = visible_start(value)});
}

std::int64_t finished_shapes(const std::string& log) {
  std::int64_t count = 0;
  for (const auto line : split(log, '\n')) {
    const auto open = line.find('[');
    const auto slash = line.find('/', open);
    count += open != std::string_view::npos && slash != std::string_view::npos && line.find("] ", slash) < slash + 12;
  }
  return count;
}

JobFile file_in(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {.name = path.filename().string(),
          .bytes = found.st_size,
          .modified_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(found.st_mtime))};
}

JobReport job_in(const fs::path& folder, std::size_t lines) {
  JobReport job{.name = visible(folder.filename().string()), .state = "waiting"};
  std::error_code error;
  if (fs::exists(folder / "node", error)) job.state = "running on " + visible_start(trim(read_file(folder / "node")));
  if (fs::exists(folder / "exit", error)) job.state = "ended with " + visible_start(trim(read_file(folder / "exit")));
  if (fs::exists(folder / "shapes.csv", error)) {
    const auto list = read_file(folder / "shapes.csv");
    job.of = std::ranges::count(list, '\n') - 1;
  }
  for (const auto* name : {"table.csv", "trials.db", "log.txt"})
    if (auto file = file_in(folder / name); !file.name.empty()) job.files.push_back(std::move(file));
  if (!fs::exists(folder / "log.txt", error)) return job;
  const auto log = read_file(folder / "log.txt");
  job.shapes = finished_shapes(log);
  const auto all = split(std::string_view(log).substr(0, log.find_last_not_of('\n') + 1), '\n');
  for (std::size_t i = all.size() - std::min(all.size(), lines); i < all.size(); ++i)
    job.log.push_back(visible_start(all[i], 400));
  return job;
}

}  // namespace

HostReport parse_report(const std::vector<std::string>& lines) {
  HostReport report;
  for (const auto& line : lines) {
    const auto at = line.find('=');
    if (at == std::string::npos) continue;
    const std::string_view key = std::string_view(line).substr(0, at);
    const std::string_view value = std::string_view(line).substr(at + 1);
    note(report, key, value);
    if (!report.jobs.empty()) note(report.jobs.back(), key, value);
  }
  return report;
}

std::vector<HostReport> report_of_hosts(const std::vector<Host>& hosts) {
  std::vector<HostReport> reports(hosts.size());
  side_by_side(hosts.size(), [&](std::size_t i) {
    const HostLink link(hosts[i], {.run = "status"});
    auto reply = link.place(std::chrono::steady_clock::now() + patience);
    if (reply.is_fine()) reply = link.ask({"report"}, std::chrono::steady_clock::now() + patience);
    if (reply.is_fine())
      reports[i] = parse_report(reply.lines);
    else
      reports[i].why_not = reply.is_lost() ? "not reachable: " + reply.why : reply.why;
    reports[i].host = hosts[i].name;
  });
  return reports;
}

std::vector<JobReport> jobs_in(const fs::path& run_folder, std::size_t lines) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_folder / "work", error)) folders.push_back(entry.path());
  std::ranges::sort(folders, {}, [](const fs::path& path) { return number(path.filename().string()); });
  std::vector<JobReport> jobs;
  for (const auto& folder : folders) jobs.push_back(job_in(folder, lines));
  return jobs;
}

}  // namespace gemmtune
