// Shape lists as the commands that only look at them read them.
#pragma once

#include <string>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// What the list's columns do not say: of the format that its name or columns tell, bf16 where they tell none.
Problem list_defaults(const CsvDocument& list);

}  // namespace gemmtune
