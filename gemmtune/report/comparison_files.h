// A comparison for programs: CSV, which can be read back like a benchmark's (report/bench_csv.h), and JSON, which is
// complete. Also a page of Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/roof.h"

namespace gemmtune {

/// The columns are gfx, cu_num, problem, B, M, N, K, two for each backend, winner, winner_kernel and ratio.
std::string comparison_csv(const Comparison& comparison);

/// Contains shapes with the best kernel of each backend, pairs, lost shapes and what was skipped, and shares of the
/// roofline if `roof_of` knows it.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const RoofOf& roof_of = {});

/// Contains only the pairs.
nlohmann::ordered_json pairs_json(const Comparison& comparison);

std::string comparison_markdown(const Comparison& comparison);

}  // namespace gemmtune
