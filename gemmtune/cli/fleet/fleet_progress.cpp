#include "gemmtune/cli/fleet/fleet_progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/cli/tune/progress.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr double redraw_s = 1;
constexpr std::size_t rows_shown = 40;  // of a live table; thousands of devices do not fit on a terminal

/// A line that the terminal wraps would not be redrawn as a whole.
std::string clipped(std::string_view text, std::size_t width) {
  std::string clipped;
  for (auto line : split(text, '\n')) {
    while (shown_width(line) > width) line.remove_suffix(1);
    clipped += fmt::format("{}\n", line);
  }
  clipped.pop_back();
  return clipped;
}

}  // namespace

FleetProgress::FleetProgress(FleetPlan plan)
    : plan_(std::move(plan)), is_live_(progress_style_of_stderr() == ProgressStyle::live), aside_(plan_.slots.size()) {}

FleetProgress::~FleetProgress() {
  if (is_live_) redraw_note("", drawn_lines_);
}

void FleetProgress::show(const FleetView& view) {
  tell_what_happened(view);
  if (!is_live_ || seconds_since(last_) < redraw_s) return;
  last_ = SteadyClock::now();
  auto text = fleet_line(plan_, view) + '\n';
  if (view.slots.size() <= rows_shown) text += devices_text(plan_, view.slots);
  text = clipped(text, stderr_width());
  redraw_note(text, drawn_lines_);
  drawn_lines_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void FleetProgress::tell_what_happened(const FleetView& view) {
  for (std::size_t i = 0; i < view.slots.size(); ++i) {
    if (view.slots[i].set_aside == aside_[i]) continue;
    aside_[i] = view.slots[i].set_aside;
    spdlog::warn("{} is set aside: {}", plan_.name_of(plan_.slots[i]), aside_[i]);
  }
  if (is_live_ || view.finished == told_) return;
  told_ = view.finished;
  spdlog::info("{}", fleet_line(plan_, view));
}

}  // namespace gemmtune
