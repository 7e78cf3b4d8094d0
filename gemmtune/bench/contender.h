// What a benchmark compares on a shape, and the results, as plain values from which files and grids are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/bench/roofline.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// How a table's lookup found a kernel.
struct ServedBy {
  MatchKind match{MatchKind::fallback};
  std::int64_t tuned_m{};  // M of the row; 0 for a fallback
  double expected_us{};    // of this call, by the row; 0 if no row gives a time
  std::int64_t split_k{};  // the value in the row's column
  std::int64_t kernel_id{-1};
};

/// FAMILY_default is the column for what users have without tuning. It stands beside FAMILY, the column of the tuned
/// choice.
inline constexpr std::string_view default_suffix = "_default";

/// A kernel in one of the benchmark's columns.
struct Contender {
  std::string label{};               // the column: "onednn", "onednn_default", "table"
  Candidate candidate{};             // without a name if there is no candidate
  std::string origin{};              // how it was chosen: "first of the family", "search of 16", "tuned.csv:7"
  std::string why_none{};            // the reason why there is no candidate
  bool is_default{};                 // what users have without tuning
  std::optional<ServedBy> served{};  // only for tables
};

struct MeasuredContender {
  Contender contender{};
  Evaluation evaluation{};  // timed only when its outcome is ok
  bool screened_only{};     // so far behind that it was not timed in turn with the others

  bool has_time() const { return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0; }
  double time_us() const { return evaluation.timing.median_us; }
};

/// One shape: its contenders in the order of the columns.
struct ShapeBench {
  Problem problem{};
  std::vector<MeasuredContender> contenders{};
  std::vector<std::size_t> winners{};  // the fastest contender, and those that cannot be told apart from it
  std::string verdict{};               // only if two tables are compared

  const MeasuredContender* find(const std::string& label) const;
  bool is_winner(const MeasuredContender& contender) const;
};

struct Benchmark {
  DeviceInfo device{};
  std::string policy{};                // how the times were measured, in words
  std::uint64_t seed{};                // seed of the operands
  std::optional<Roofline> roofline{};  // as stored for the device
  std::vector<ShapeBench> shapes{};
};

/// Whether some contenders were chosen by tables.
bool has_served(const Benchmark& benchmark);

/// All columns, in the order in which they first occur.
std::vector<std::string> labels_of(const Benchmark& benchmark);

/// The share of what the roofline allows that this time reaches. Nothing if the roofline is not known.
std::optional<double> roofline_share(const Benchmark& benchmark, const Problem& problem, double time_us);

}  // namespace gemmtune
