// The numeric formats of the problems in a CSV, as far as the file states them.
#pragma once

#include <optional>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {

struct CsvTypes {
  Format columns{};    // the format whose key columns these are
  Problem defaults{};  // what the columns do not state; bf16 if nothing is known
  bool known{};
};

/// The types come from the file's name and columns, or else from `otherwise`. If neither states them, only the sizes
/// are known.
CsvTypes csv_types(const CsvDocument& document, std::optional<Format> otherwise);

}  // namespace gemmtune
