// Shows a running fleet on stderr: a live table on a terminal, otherwise a line whenever something happened.
#pragma once

#include "gemmtune/cli/fleet/fleet_text.h"
#include "gemmtune/core/clock.h"

namespace gemmtune {

class FleetProgress {
 public:
  explicit FleetProgress(FleetPlan plan);
  ~FleetProgress();
  FleetProgress(const FleetProgress&) = delete;
  FleetProgress& operator=(const FleetProgress&) = delete;

  void show(const FleetView& view);

 private:
  void tell_what_happened(const FleetView& view);

  FleetPlan plan_;
  bool is_live_;
  std::size_t drawn_lines_{};
  std::int64_t told_{-1};
  std::vector<std::string> aside_;
  SteadyClock::time_point last_{};
};

}  // namespace gemmtune
