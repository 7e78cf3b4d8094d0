#include "gemmtune/cli/status/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/short_text.h"
#include "gemmtune/core/clock.h"

namespace gemmtune {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t gains_shown = 3;

std::string bytes_text(std::int64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / (1 << 20));
  return bytes >= 1 << 10 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / (1 << 10))
                          : fmt::format("{} B", bytes);
}

std::string pace(const RunStatus& status) {
  auto text = fmt::format("{} elapsed", human_duration(status.elapsed_s));
  if (status.shapes_per_hour > 0) text += fmt::format(", {:.1f} shapes an hour", status.shapes_per_hour);
  if (status.remaining_s) text += fmt::format(", {} left", human_duration(*status.remaining_s));
  if (status.state == RunState::running || status.state == RunState::silent)
    text += fmt::format(", last heard of {} ago", human_duration(status.last_heard_s));
  return text;
}

std::string state_text(const RunStatus& status) {
  const auto& run = status.run;
  auto text = fmt::format("{}: {}, {} of {} shapes", status.store.string(), to_string(status.state), run.shapes_done,
                          run.shapes);
  if (run.shapes_failed > 0) text += fmt::format(", {} failed", run.shapes_failed);
  return text;
}

std::string heading(const RunStatus& status) {
  const auto& run = status.run;
  const auto text = state_text(status);
  return fmt::format("{}\n  {}\n  run {} of {}, process {} on {}: {}\n", text, pace(status), run.id, run.begun_utc,
                     run.pid, run.host, run.command_line);
}

std::string trials_text(const RunStatus& status) {
  if (status.outcomes.empty()) return {};
  std::string text = "  trials:";
  for (const auto& [outcome, count] : status.outcomes) text += fmt::format(" {} {},", count, to_string(outcome));
  text.pop_back();
  return text + '\n';
}

std::string cut(std::string_view text, std::size_t width, std::size_t taken) {
  return width == 0 ? std::string(text) : cut_in_the_middle(text, width - std::min(width, taken));
}

std::string gain_line(const RunResult& result, std::size_t width) {
  const auto line = fmt::format("    {:.2f}x  {}  ", result.gain().value_or(0), to_string(result.problem));
  return fmt::format("{}{}\n", line, cut(result.winner, width, line.size()));
}

std::string gains_text(const RunStatus& status, std::size_t width) {
  if (status.mean_gain <= 0) return {};
  auto text = fmt::format("  against the default: {:.2f}x in the geometric mean\n", status.mean_gain);
  for (const auto& result : best_gains(status, gains_shown)) text += gain_line(result, width);
  return text;
}

std::string files_text(const RunStatus& status) {
  std::string text;
  for (const auto& [file, is_there, bytes, modified] : status.files)
    text += is_there ? fmt::format("  {} {}, {}, {}\n", file.kind, file.path, bytes_text(bytes), modified)
                     : fmt::format("  {} {}, not there\n", file.kind, file.path);
  return text;
}

std::string damage_text(const RunStatus& status) {
  if (status.damaged_rows == 0) return {};
  return fmt::format("  left out: {} damaged {} of the store ('gemmtune store check' names them)\n",
                     status.damaged_rows, status.damaged_rows == 1 ? "row" : "rows");
}

std::string lines_text(const RunStatus& status, std::size_t width) {
  std::string text;
  for (const auto& line : status.last_lines)
    text += fmt::format("  {}  {}\n", line.time_utc, cut(line.text, width, line.time_utc.size() + 4));
  return text;
}

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json results_json(const RunStatus& status) {
  auto list = ordered_json::array();
  for (const auto& result : status.results)
    list.push_back({{"problem", to_string(result.problem)},
                    {"winner", result.winner},
                    {"us", result.time_us},
                    {"default", result.default_choice},
                    {"default_us", result.default_us},
                    {"gain", or_null(result.gain())},
                    {"why_failed", result.why_failed},
                    {"claim", result.claim},
                    {"time_utc", result.time_utc}});
  return list;
}

ordered_json outcomes_json(const RunStatus& status) {
  auto outcomes = ordered_json::object();
  for (const auto& [outcome, count] : status.outcomes) outcomes[std::string(to_string(outcome))] = count;
  return outcomes;
}

ordered_json files_json(const RunStatus& status) {
  auto list = ordered_json::array();
  for (const auto& [file, is_there, bytes, modified] : status.files)
    list.push_back({{"kind", file.kind},
                    {"path", file.path},
                    {"is_there", is_there},
                    {"bytes", bytes},
                    {"modified_utc", modified}});
  return list;
}

ordered_json lines_json(const RunStatus& status) {
  auto list = ordered_json::array();
  for (const auto& line : status.last_lines) list.push_back({{"time_utc", line.time_utc}, {"text", line.text}});
  return list;
}

}  // namespace

std::string status_text(const RunStatus& status, std::size_t width) {
  return heading(status) + trials_text(status) + gains_text(status, width) + files_text(status) + damage_text(status) +
         lines_text(status, width);
}

std::string ended_line(const RunStatus& status) {
  auto text = fmt::format("{} in {}", state_text(status), human_duration(status.elapsed_s));
  if (status.mean_gain > 0) text += fmt::format(", {:.2f}x", status.mean_gain);
  return fmt::format("{}, {}\n", text, status.run.heartbeat_utc);
}

ordered_json status_json(const RunStatus& status) {
  const auto& run = status.run;
  return {{"store", status.store.string()},
          {"run", run.id},
          {"state", to_string(status.state)},
          {"shapes", run.shapes},
          {"shapes_done", run.shapes_done},
          {"shapes_failed", run.shapes_failed},
          {"begun_utc", run.begun_utc},
          {"heartbeat_utc", run.heartbeat_utc},
          {"elapsed_s", status.elapsed_s},
          {"last_heard_s", status.last_heard_s},
          {"shapes_per_hour", status.shapes_per_hour},
          {"remaining_s", or_null(status.remaining_s)},
          {"host", run.host},
          {"pid", run.pid},
          {"command_line", run.command_line},
          {"mean_gain", status.mean_gain},
          {"results", results_json(status)},
          {"trials", outcomes_json(status)},
          {"files", files_json(status)},
          {"damaged_rows", status.damaged_rows},
          {"last_lines", lines_json(status)}};
}

}  // namespace gemmtune
