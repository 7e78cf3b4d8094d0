// A clean copy of a table: without rows that no lookup reaches, with corrected numbers, and with each line as a
// program writes it. What is only doubtful (two ids, odd cells, wrong results) stays for a person to decide. So does a
// damaged line, which has too few or too many cells or shifted ones: it stays as it is, so that lint still finds it,
// and no other row is judged by what it seems to say.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/table/lint/lint.h"

namespace gemmtune {

struct FixedTable {
  std::string text{};
  std::vector<Remark> changes{};  // in the order of lines; changes of layout (CRLF, blanks) are not listed
  std::size_t rows_before{};
  std::size_t rows_after{};
  std::size_t rows_changed{};  // of those that stayed
  std::size_t lines_left{};    // damaged ones, which are no rows
};

/// Drops the rows that no-time, shadowed-row, device-contradiction, no-device, unasked-tokens and unusable-line find,
/// and repeated shapes. Computes tflops and bw again if they are missing or contradict us.
FixedTable lint_fix(const LintTable& table);

}  // namespace gemmtune
