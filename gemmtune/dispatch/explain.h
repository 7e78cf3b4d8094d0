// A lookup in words: for logs, and for those who wonder why.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"

namespace gemmtune {

/// "padded_coarse: asm kernel_x, 12.3 us (tuned for M = 128, tables/a.csv:17)"; says so when there is no kernel.
std::string answer_text(const Answer& answer);

/// The device that a lookup was for, as tables name it.
struct AskedDevice {
  std::string gfx{};
  std::int64_t cu_num{};
};

/// One line for each level tried, with the M asked for and the row found, the one that answers marked; then the
/// runner-up; and where the tables have no row of this device, those that they have rows for.
std::vector<std::string> explain(const TableIndex& index, const Problem& problem, const AskedDevice& device);

}  // namespace gemmtune
