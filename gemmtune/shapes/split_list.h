// Cuts a shape list into parts that take about equally long to tune.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The part for each cost: the largest cost first, each to the part with the smallest sum so far, the first of equal
/// parts. No part is then heavier than the average by more than one cost. `parts` is at least 1.
std::vector<std::size_t> balanced_parts(std::span<const double> costs, std::size_t parts);

struct ListPart {
  std::string text{};  // the header and this part's lines as they stand in the list, in its order
  std::size_t lines{};
  double tuning_seconds{};  // estimated
};

/// Every line of the list is in exactly one part, including lines that are not shapes, which cost nothing. `defaults`
/// as in read_shapes().
std::vector<ListPart> split_list(const CsvDocument& list, const Problem& defaults, std::size_t parts);

}  // namespace gemmtune
