// A lookup in words, for logs and for people who want to know why.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"

namespace gemmtune {

/// An answer as text: "padded_coarse: asm kernel_x, 12.3 us (tuned for M = 128, tables/a.csv:17)". If there is no
/// kernel, the text says so.
std::string answer_text(const Answer& answer);

/// The device of a lookup, as tables name it.
struct AskedDevice {
  std::string gfx{};
  std::int64_t cu_num{};
};

/// Has one line for each level that was tried, with the M that was searched for, the row that was found, and a mark on
/// the level that answers. Then follows the runner-up. If the tables have no row for this device, the last lines list
/// the devices for which they have rows.
std::vector<std::string> explain(const TableIndex& index, const Problem& problem, const AskedDevice& device);

}  // namespace gemmtune
