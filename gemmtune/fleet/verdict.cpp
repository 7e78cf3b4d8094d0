#include "gemmtune/fleet/verdict.h"

#include <fmt/format.h>

#include <array>

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 5> words{"done", "stopped", "the shard's fault", "the host's fault",
                                                "not to be believed"};

// Exit codes of `gemmtune tune`, and of timeout(1).
constexpr int some_failed = 1;
constexpr int bad_input = 3;
constexpr int no_device = 4;
constexpr int over_time = 124;
constexpr int killed = 137;
constexpr int interrupted = 130;
constexpr int terminated = 143;

constexpr std::int64_t full_disk_kb = 16 * 1024;

bool is_disk_full(const JobEnd& end) {
  return (end.free_disk_kb >= 0 && end.free_disk_kb < full_disk_kb) ||
         end.why.find("No space left") != std::string::npos || end.why.find("disk is full") != std::string::npos;
}

Judgement judge_exit(const JobEnd& end) {
  switch (end.exit_code) {
    case 0:
    case some_failed:
      return {};
    case 2:
    case bad_input:
      return {JobVerdict::shards_fault, end.why};
    case interrupted:
    case terminated:
      return {JobVerdict::stopped, "it was stopped there"};
    case over_time:
    case killed:
      return {JobVerdict::hosts_fault, "it was not done within the time limit of a shard"};
    default:
      return {JobVerdict::hosts_fault, fmt::format("exit code {}: {}", end.exit_code, end.why),
              end.exit_code == no_device};
  }
}

}  // namespace

std::string_view to_string(JobVerdict verdict) { return words.at(static_cast<std::size_t>(verdict)); }

Judgement judge(const JobEnd& end) {
  if (end.kind == JobEnd::Kind::silent) return judge_trusted(end);
  if (end.right == 0 && end.died > 0)
    return {JobVerdict::hosts_bad_word, fmt::format("all {} candidates that ran crashed or hung there", end.died),
            true};
  if (end.died > 0 && end.kind == JobEnd::Kind::exited && end.exit_code == some_failed && !end.is_out_of_time)
    return {JobVerdict::hosts_bad_word,
            fmt::format("{} candidates crashed or hung there, and a shape has no winner", end.died), true};
  return judge_trusted(end);
}

Judgement judge_trusted(const JobEnd& end) {
  if (end.kind == JobEnd::Kind::silent) return {JobVerdict::hosts_fault, "not reachable: " + end.why, true};
  if (end.kind == JobEnd::Kind::exited && end.exit_code == some_failed && end.is_out_of_time)
    return {JobVerdict::stopped, "the budget is spent"};
  if (end.kind == JobEnd::Kind::exited && (end.exit_code == 0 || end.exit_code == some_failed)) return {};
  if (is_disk_full(end)) return {JobVerdict::hosts_fault, "the disk is full: " + end.why, true};
  if (end.kind == JobEnd::Kind::refused || end.kind == JobEnd::Kind::waiting) return {JobVerdict::hosts_fault, end.why};
  if (end.kind == JobEnd::Kind::lost) return {JobVerdict::hosts_fault, "its job was killed there: " + end.why};
  return judge_exit(end);
}

}  // namespace gemmtune
