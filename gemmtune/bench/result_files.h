// A benchmark for programs: CSV, which report/bench_csv.h reads back; JSON, which is complete; and a page of
// Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/bench/contender.h"

namespace gemmtune {

/// M,N,K, then <label>_tflops,<label>_us of each column (empty where there is no time), then
/// B,problem,gfx,cu_num,winner.
std::string bench_csv(const Benchmark& benchmark);

nlohmann::ordered_json bench_json(const Benchmark& benchmark);

std::string bench_markdown(const Benchmark& benchmark);

}  // namespace gemmtune
