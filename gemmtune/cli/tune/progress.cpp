#include "gemmtune/cli/tune/progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(250);
constexpr std::string_view clear_line = "\r\x1b[2K";

}  // namespace

std::size_t stderr_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : 79;
}

ProgressStyle progress_style_of_stderr() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) == 1 && !dumb ? ProgressStyle::live : ProgressStyle::lines;
}

Progress::Progress(std::size_t shape_count, ProgressStyle style) : style_(style), state_{.shapes = shape_count} {
  if (style_ == ProgressStyle::live) redrawing_ = std::thread([this] { redraw_until_end(); });
}

Progress::~Progress() {
  if (!redrawing_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  end_.notify_all();
  redrawing_.join();
  fmt::print(stderr, "{}", clear_line);
}

void Progress::shape_started(const Problem& problem, std::size_t candidate_count) {
  const std::lock_guard lock(mutex_);
  state_.running[problem] = {.candidates = candidate_count};
  state_.latest = problem;
}

void Progress::candidate_done(const Problem& problem, const Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  auto& shape = state_.running[problem];
  state_.latest = problem;
  ++shape.evaluated;
  if (evaluation.outcome != Outcome::ok) {
    ++state_.failed_candidates;
    return;
  }
  const bool is_timed = evaluation.timing.median_us > 0;
  if (is_timed && (!shape.best || evaluation.timing.median_us < shape.best->timing.median_us)) shape.best = evaluation;
}

void Progress::shape_done(const ShapeResult& result) {
  const std::lock_guard lock(mutex_);
  state_.running.erase(result.shape.problem);
  ++state_.done;
  if (!result.winner) ++state_.failed;
  say(shape_line(result, state_.done, state_.shapes, style_ == ProgressStyle::live ? stderr_width() : 0));
  spdlog::debug("{}", shape_details(result));
}

void Progress::say(const std::string& line) {
  if (style_ == ProgressStyle::lines) {
    spdlog::info("{}", line);
    return;
  }
  fmt::print(stderr, "{}{}\n", clear_line, visible(line));
  draw();
}

void Progress::draw() {
  state_.elapsed_s = seconds_since(start_);
  fmt::print(stderr, "{}{}\r", clear_line, visible(progress_line(state_, stderr_width())));
}

void Progress::redraw_until_end() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, redraw_interval, [this] { return ending_; })) draw();
}

}  // namespace gemmtune
