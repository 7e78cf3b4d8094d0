// A clean copy of a table: without rows that no lookup reaches, with corrected numbers, and with each line as a program
// writes it. What is only doubtful (two ids, odd or shifted cells, wrong results) is kept for a person to decide.
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
  std::size_t rows_changed{};  // among the rows that are kept
};

/// Drops the rows that no-time, shadowed-row, device-contradiction, no-device, unasked-tokens and unusable-line find,
/// and repeated shapes. Computes tflops and bw again if they are missing or contradict us.
FixedTable lint_fix(const LintTable& table);

}  // namespace gemmtune
