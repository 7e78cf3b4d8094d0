// The numeric formats of a CSV's problems, as far as the file says.
#pragma once

#include <optional>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {

struct CsvTypes {
  Format columns{};    // whose keys the columns are
  Problem defaults{};  // what the columns do not say; bf16 where nothing is known
  bool known{};
};

/// From the file's name and columns; else `otherwise`; else only the sizes are known.
CsvTypes csv_types(const CsvDocument& document, std::optional<Format> otherwise);

}  // namespace gemmtune
