// Benchmarks side by side as measurements: one line a shape, two columns a backend.
//
//   M,N,K,triton_tflops,triton_us,gluon_tflops,gluon_us
//
// Either of the two may be missing; the time counts where both are there. `gfx`, `cu_num`, `B` and `problem` (in its
// canonical text, gemm/problem.h) are read where they are, all other columns are not.
#pragma once

#include "gemmtune/core/csv.h"
#include "gemmtune/report/kernel_csv.h"

namespace gemmtune {

bool is_bench_csv(const CsvDocument& document);

/// Empty cells are no measurements. Lines and cells that are none are noted, with file:line:column.
Readings read_bench_csv(const CsvDocument& document, const ReadingOptions& options);

}  // namespace gemmtune
