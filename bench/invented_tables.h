// Invented tables, as large as AITER's and larger. Equal row counts give equal tables.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::bench {

/// The text of an a4w4 table: 20 to 40 values of M for each of many layers, three devices, long kernel names.
std::string table_text(std::int64_t row_count);

/// The index of the text, and the problems of its rows for gfx950 with 256 compute units, in random order.
struct Workload {
  TableIndex index{};
  std::vector<Problem> hits{};
  std::vector<Problem> misses{};  // the same layers, with an M that no level finds: each level is tried
};

Workload workload(std::int64_t row_count);

}  // namespace gemmtune::bench
