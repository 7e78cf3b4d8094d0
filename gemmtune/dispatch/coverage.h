// How well tables serve a workload: the share of its calls that each way of matching answers, and what tuning the
// rest might gain.
// Times are those of the tables. Gains are estimates (dispatch/time_model.h). For problems that only a fallback
// serves, both depend on an assumption of the caller: how much slower than a tuned kernel a default one is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/time_model.h"

namespace gemmtune {

struct WeighedProblem {
  Problem problem{};
  double calls{1};
};

struct CoverageQuestion {
  std::span<const WeighedProblem> problems{};
  DeviceKey device{};
  double default_slowdown{1.3};  // time of an untuned default kernel over that of a tuned one
};

struct CoveredProblem {
  WeighedProblem asked{};
  MatchKind match{MatchKind::fallback};
  std::int64_t tuned_m{};
  double now_us{};   // the time of one call; 0 if it is not known
  double gain_us{};  // estimated gain of one call
};

struct KindCoverage {
  std::int64_t problems{};
  double calls{};
  double now_us{};  // the time of all calls
  double gain_us{};

  bool operator==(const KindCoverage&) const = default;
};

struct Coverage {
  std::array<KindCoverage, match_kind_count> kinds{};
  std::vector<CoveredProblem> problems{};  // the shapes with the largest gain over all their calls come first
  std::int64_t unknown{};                  // problems whose time is not known

  const KindCoverage& of(MatchKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  KindCoverage total() const;
};

Coverage coverage_of(const TableIndex& index, const TimeModel& model, const CoverageQuestion& question);

}  // namespace gemmtune
