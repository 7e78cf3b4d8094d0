// What a benchmark holds against each other on a shape, and what came of it: plain values, of which files and grids are
// made.
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
  std::int64_t tuned_m{};  // of the row; 0 for a fallback
  double expected_us{};    // of this call, as the row says; 0 where none does
  std::int64_t split_k{};  // as the row's column has it
  std::int64_t kernel_id{-1};
};

/// FAMILY_default is the column of what one has without tuning, beside that of the tuned choice, FAMILY.
inline constexpr std::string_view default_suffix = "_default";

/// A kernel in one of the benchmark's columns.
struct Contender {
  std::string label{};               // the column: "onednn", "onednn_default", "table"
  Candidate candidate{};             // without a name where there is none
  std::string origin{};              // how it was chosen: "first of the family", "search of 16", "tuned.csv:7"
  std::string why_none{};            // when there is none
  bool is_default{};                 // what one has without tuning
  std::optional<ServedBy> served{};  // of tables
};

struct MeasuredContender {
  Contender contender{};
  Evaluation evaluation{};  // timed when its outcome is ok, never else
  bool screened_only{};     // so far behind that it was not timed in turn with the others

  bool has_time() const { return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0; }
  double time_us() const { return evaluation.timing.median_us; }
};

/// One shape: its contenders in the order of the columns.
struct ShapeBench {
  Problem problem{};
  std::vector<MeasuredContender> contenders{};
  std::vector<std::size_t> winners{};  // the fastest, and those that cannot be told apart from it
  std::string verdict{};               // where two tables are compared

  const MeasuredContender* find(const std::string& label) const;
  bool is_winner(const MeasuredContender& contender) const;
};

struct Benchmark {
  DeviceInfo device{};
  std::string policy{};                // how it was measured, in words
  std::uint64_t seed{};                // of the operands
  std::optional<Roofline> roofline{};  // as remembered for the device
  std::vector<ShapeBench> shapes{};
};

/// Do tables serve some of its contenders?
bool has_served(const Benchmark& benchmark);

/// All columns, in the order in which they first occur.
std::vector<std::string> labels_of(const Benchmark& benchmark);

/// The share of what the roofline allows that a time comes to; nothing where that is not known.
std::optional<double> roofline_share(const Benchmark& benchmark, const Problem& problem, double time_us);

}  // namespace gemmtune
