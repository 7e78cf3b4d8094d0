// Shows the progress of a tuning run on stderr: one live line on a terminal, otherwise one log line per shape.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "gemmtune/cli/tune/progress_text.h"
#include "gemmtune/core/clock.h"

namespace gemmtune {

enum class ProgressStyle { live, lines };

/// Live when stderr is a terminal that can redraw a line.
ProgressStyle progress_style_of_stderr();

/// How many characters a line may have that is to be redrawn.
std::size_t stderr_width();

/// May be called from any thread.
class Progress {
 public:
  Progress(std::size_t shape_count, ProgressStyle style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void shape_started(const Problem& problem, std::size_t candidate_count);
  void candidate_done(const Problem& problem, const Evaluation& evaluation);
  void shape_done(const ShapeResult& result);

 private:
  void redraw_until_end();
  void draw();
  void say(const std::string& line);

  ProgressStyle style_;
  SteadyClock::time_point start_{SteadyClock::now()};
  std::mutex mutex_;
  std::condition_variable end_;
  bool ending_{};
  ProgressState state_;
  std::thread redrawing_;
};

}  // namespace gemmtune
