// A benchmark as a terminal shows it.
#pragma once

#include <cstddef>
#include <string>

#include "gemmtune/bench/contender.h"
#include "gemmtune/cli/analyze/analysis_text.h"

namespace gemmtune {

/// All that is known of each contender in one line, then the summary and the failures. With a `width`, lines of the
/// tables are not longer, as far as that is possible: each shape stands above its contenders, and where that is not
/// enough, columns are left out and kernels' names are cut. A line then says so, and where everything stands. 0: as
/// wide as needed.
std::string bench_text(const Benchmark& benchmark, const TextStyle& style, std::size_t width = 0);

}  // namespace gemmtune
