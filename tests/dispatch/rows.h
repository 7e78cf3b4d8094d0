// Indexes of invented rows, for the tests of dispatch.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index_builder.h"

namespace gemmtune {

inline const DeviceKey mi355 = device_key("gfx950", 256);

inline Problem a4w4(std::int64_t m, std::int64_t n, std::int64_t k) {
  auto problem = format_defaults(Format::a4w4);
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

/// A row for gfx950 with 256 compute units. The kernel's name contains its time.
inline TunedRow row_of(const Problem& problem, double time_us) {
  TunedRow row{.gfx = "gfx950", .cu_num = 256, .problem = problem};
  row.time_us = time_us;
  row.kernel_name = "kernel_" + std::to_string(time_us);
  return row;
}

/// An index of rows of one family. Their line numbers begin at 2.
inline TableIndex index_of(const std::vector<TunedRow>& rows, const BuildOptions& options = {},
                           const TableFamily& family = {.format = Format::a4w4, .packed = true}) {
  TableIndexBuilder builder(options);
  std::int64_t line = 1;
  for (const auto& row : rows) builder.add(row, family, {.file = "invented.csv", .line = ++line});
  return std::move(builder).build();
}

}  // namespace gemmtune
