// Which of gemmtune's problems a call of the library is. The inverse of families/cublaslt/call.h.
#pragma once

#include <optional>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/preload/library_call.h"

namespace gemmtune::preload {

/// Empty if the call is none that the family cublaslt hands to the library exactly like this: other types, orders,
/// scales or epilogues, matrices that overlap, int8 (whose products gemmtune scales itself), and batches with scales.
std::optional<Problem> problem_of(const LibraryCall& call);

}  // namespace gemmtune::preload
