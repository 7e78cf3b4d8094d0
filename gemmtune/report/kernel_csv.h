// Tables of kernels as measurements: profiles and tuned tables of gemmtune and of all generations of AITER.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// What the files do not state themselves.
struct ReadingOptions {
  std::optional<Format> format{};       // for files whose name and columns do not state it
  std::vector<std::string> families{};  // our families, for the backends of tables without libtype
};

/// Whether the file has sizes, times and names of kernels.
bool is_kernel_csv(const CsvDocument& document);

/// Lines that cannot be read are noted with file:line:column.
Readings read_kernel_csv(const CsvDocument& document, const ReadingOptions& options);

}  // namespace gemmtune
