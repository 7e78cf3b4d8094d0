// Which captured problems are to be tuned for one device, and which of them were tried in vain. Not: tuning them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/shapes/tuned_times.h"
#include "gemmtune/table/capture_csv.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// The table that is written, with what is known about its rows.
struct PublishedRows {
  TunedTable table{};
  std::function<bool(const TunedRow&)> is_outdated{};  // the runtime declines such rows
};

/// The captured problems of this device for which the table has no row that serves. The one whose tuning would save
/// most time comes first. A call that matched a row exactly needs none, unless that row is outdated.
std::vector<Shape> waiting_shapes(std::span<const CapturedProblem> captured, const PublishedRows& published,
                                  const TunedDevice& device);

/// Remembers which problems could not be tuned. After `most` attempts a problem is not tried again.
class Attempts {
 public:
  static constexpr int most = 2;

  void note_failure(const Problem& problem) { ++failures_[problem]; }
  bool is_given_up(const Problem& problem) const;

 private:
  std::map<Problem, int> failures_;
};

}  // namespace gemmtune
