// Reads shape lists for the commands that only inspect them.
#pragma once

#include <string>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// What the list's columns do not state follows from the format that its name or its columns state. Without a format,
/// bf16 is assumed.
Problem list_defaults(const CsvDocument& list);

}  // namespace gemmtune
