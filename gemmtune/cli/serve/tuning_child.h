// One run of `gemmtune tune` in a child process, so that whatever happens to it costs one shape.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct TuningOrder {
  std::filesystem::path list{};  // of shapes
  std::filesystem::path table{};
  std::string devices{};
  std::vector<std::string> options{};  // further options of `gemmtune tune`
};

struct TuningEnd {
  std::string why_failed{};  // "" if every shape was tuned
  double took_s{};
};

/// Waits for the child. If `stop` becomes true, the child is asked to end, and killed if it does not within seconds.
TuningEnd tune_in_child(const TuningOrder& order, const std::atomic<bool>& stop);

}  // namespace gemmtune
