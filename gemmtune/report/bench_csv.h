// Benchmarks of several backends as measurements: one line for each shape, two columns for each backend.
//   M,N,K,triton_tflops,triton_us,gluon_tflops,gluon_us
// Either of the two columns may be missing; if both exist, the time counts. `gfx`, `cu_num`, `B` and `problem`
// (canonical text, gemm/problem.h) are read if they exist. All other columns are ignored.
#pragma once

#include "gemmtune/core/csv.h"
#include "gemmtune/report/kernel_csv.h"

namespace gemmtune {

bool is_bench_csv(const CsvDocument& document);

/// Empty cells are no measurements. Lines and cells that cannot be read are noted with file:line:column.
Readings read_bench_csv(const CsvDocument& document, const ReadingOptions& options);

}  // namespace gemmtune
