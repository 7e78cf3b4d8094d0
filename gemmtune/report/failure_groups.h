// What was left out of a comparison, grouped by backend and reason.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/report/comparison.h"

namespace gemmtune {

struct FailureGroup {
  std::string backend{};
  std::string what{};  // the outcome, or "over the limit of errors"
  std::size_t count{};
  Skipped first{};  // one example, with its own reason
};

/// Reasons that differ only in numbers are the same. The most frequent group comes first.
std::vector<FailureGroup> failure_groups(const Comparison& comparison);

}  // namespace gemmtune
