// Reads a benchmark back from its JSON (bench/result_files.h), which is complete but for raw samples: many machines
// measure a part each, and the parts together make the outputs of one.
#pragma once

#include <string>

#include "gemmtune/bench/contender.h"

namespace gemmtune {

/// Throws Error{input}, which names `source`, for what is no such file.
Benchmark read_bench_json(const std::string& text, const std::string& source);

}  // namespace gemmtune
