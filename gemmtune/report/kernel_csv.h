// Tables of kernels as measurements: profiles and tuned tables, AITER's of all generations and gemmtune's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// What files do not say themselves.
struct ReadingOptions {
  std::optional<Format> format{};       // of files whose name and columns tell none
  std::vector<std::string> families{};  // ours, for backends of tables without libtype
};

/// Has it sizes, times and names of kernels?
bool is_kernel_csv(const CsvDocument& document);

/// Lines that are none are noted, with file:line:column.
Readings read_kernel_csv(const CsvDocument& document, const ReadingOptions& options);

}  // namespace gemmtune
