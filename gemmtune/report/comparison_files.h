// A comparison for programs: CSV, which can be read back as a benchmark's (report/bench_csv.h), and JSON, which is
// complete. Also a page of Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/roof.h"

namespace gemmtune {

/// gfx, cu_num, problem, B, M, N, K, two columns for each backend, winner, winner_kernel, ratio.
std::string comparison_csv(const Comparison& comparison);

/// Shapes with the best kernel of each backend, pairs, lost shapes, what was skipped, and shares of the roofline
/// where `roof_of` knows it.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const RoofOf& roof_of = {});

/// Only the pairs.
nlohmann::ordered_json pairs_json(const Comparison& comparison);

std::string comparison_markdown(const Comparison& comparison);

}  // namespace gemmtune
