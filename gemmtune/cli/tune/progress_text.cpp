#include "gemmtune/cli/tune/progress_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/tune/noise_text.h"
#include "gemmtune/core/clock.h"

namespace gemmtune {
namespace {

constexpr std::size_t bar_width = 20;
constexpr std::size_t shortest_name = 12;

std::string bar(double share) {
  const auto full = std::min(bar_width, static_cast<std::size_t>(share * bar_width));
  std::string text(full, '=');
  if (full < bar_width) text += '>';
  return fmt::format("[{:<{}}]", text, bar_width);
}

double share_of(const RunningShape& shape) {
  if (shape.candidates == 0) return 0;
  return std::min(1.0, static_cast<double>(shape.evaluated) / static_cast<double>(shape.candidates));
}

std::string running_text(const Problem& problem, const RunningShape& shape) {
  auto text = fmt::format(", {} {}/{}", to_string(problem), shape.evaluated, shape.candidates);
  if (shape.best)
    text += fmt::format(", best {} {}", shape.best->candidate.name, human_time(shape.best->timing.median_us));
  return text;
}

std::string time_text(const ProgressState& state) {
  const auto elapsed = human_duration(state.elapsed_s);
  const auto share = done_share(state);
  if (share <= 0) return elapsed;
  return fmt::format("{}, {} left", elapsed, human_duration(state.elapsed_s * (1 - share) / share));
}

std::string claim_text(const ShapeResult& result) {
  const auto text = claim_in_words(result);
  if (text.empty()) return {};
  return result.claim ? ", " + text : ", regret: " + text;
}

}  // namespace

std::string claim_in_words(const ShapeResult& result) {
  if (!result.claim) return result.why_no_claim.empty() ? "" : no_claim_in_words(result.why_no_claim);
  if (!has_error_bar(result))
    return fmt::format("regret not known: {}", result.winner->timing.sample_count == 1
                                                   ? "the winner's time has one sample, and no error bar"
                                                   : "the winner's samples are all equal, and give no error bar");
  const auto text = in_words(*result.claim);
  return is_regret_of_noise(result) ? text + ", mostly because the times scatter" : text;
}

double done_share(const ProgressState& state) {
  if (state.shapes == 0) return 1;
  double done = static_cast<double>(state.done);
  for (const auto& [problem, shape] : state.running) done += share_of(shape);
  return done / static_cast<double>(state.shapes);
}

std::string progress_line(const ProgressState& state, std::size_t width) {
  auto line = fmt::format("{} {}/{} shapes", bar(done_share(state)), state.done, state.shapes);
  line += fmt::format(", {} failed, {}", state.failed_candidates, time_text(state));
  if (const auto running = state.latest ? state.running.find(*state.latest) : state.running.end();
      running != state.running.end())
    line += running_text(running->first, running->second);
  return line.substr(0, width);
}

std::optional<double> speedup(const ShapeResult& result) {
  if (!result.winner || !result.default_choice || !(result.winner->timing.median_us > 0)) return std::nullopt;
  return result.default_choice->timing.median_us / result.winner->timing.median_us;
}

bool default_is_wrong(const ShapeResult& result) {
  return result.default_choice && result.default_choice->outcome != Outcome::ok;
}

std::string gain_text(const ShapeResult& result) {
  const auto times = speedup(result);
  if (!times) return "-";
  const auto& default_choice = result.default_choice->candidate;
  if (default_choice == result.winner->candidate) return "default";
  if (std::count(result.tied.begin(), result.tied.end(), default_choice.name) > 0) return "tie";
  return fmt::format("{:.2f}x{}", *times, default_is_wrong(result) ? " (wrong)" : "");
}

// "at most 0.0 %" would be too much to promise.
std::string regret_text(const ShapeResult& result) {
  constexpr double least_pct = 0.1;
  if (!result.claim) return result.why_no_claim.empty() ? "-" : "no claim";
  return has_error_bar(result) ? fmt::format("{:.1f} %", std::max(100 * result.claim->regret, least_pct)) : "not known";
}

std::string shape_line(const ShapeResult& result, std::size_t done, std::size_t shapes, std::size_t width) {
  auto line = fmt::format("[{}/{}] {}: ", done, shapes, to_string(result.shape.problem));
  if (!result.winner) return line + result.why_failed;
  line += human_time(result.winner->timing.median_us);
  if (const auto gain = gain_text(result); gain != "-") line += ", " + gain;
  const auto end =
      fmt::format(", {:.1f} s{}", result.wall_s, result.complete ? "" : ", cut short: " + result.cut_short_by);
  const auto& name = result.winner->candidate.name;
  const auto taken = line.size() + 2 + end.size();
  return line + ", " +
         (width == 0 ? name : cut_in_the_middle(name, std::max(shortest_name, width - std::min(width, taken)))) + end;
}

std::string shape_details(const ShapeResult& result) {
  auto text = fmt::format("{}: {} trials, {} from the store, {} failed", to_string(result.shape.problem), result.tried,
                          result.reused, result.failures.size());
  if (result.winner)
    text += fmt::format(", {:.4g} TFLOPS{}", tflops(result.shape.problem, result.winner->timing.median_us),
                        claim_text(result));
  return text;
}

}  // namespace gemmtune
