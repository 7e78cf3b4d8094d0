// Splits a shape list into parts that take about the same time to tune.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The part for each cost. The largest cost is assigned first, and each cost goes to the part with the smallest sum so
/// far, or to the first of equal parts. No part is then heavier than the average by more than one cost. `parts` is at
/// least 1.
std::vector<std::size_t> balanced_parts(std::span<const double> costs, std::size_t parts);

struct ListPart {
  std::string text{};  // the header and this part's lines, unchanged and in the list's order
  std::size_t lines{};
  double tuning_seconds{};  // estimated time
};

/// Every line of the list is in exactly one part, also a line that is not a shape, which costs nothing. `defaults` is
/// as in read_shapes().
std::vector<ListPart> split_list(const CsvDocument& list, const Problem& defaults, std::size_t parts);

}  // namespace gemmtune
