// What was left out of a comparison, gathered by backend and reason.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"

namespace gemmtune {

struct FailureGroup {
  std::string backend{};
  std::string what{};  // its outcome, or "over the limit of errors"
  std::size_t count{};
  Skipped first{};  // one of them, with its own words
};

/// Reasons that differ in numbers alone are one. The most frequent first.
std::vector<FailureGroup> failure_groups(const Comparison& comparison);

}  // namespace gemmtune
