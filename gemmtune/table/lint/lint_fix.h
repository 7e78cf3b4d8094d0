// A clean copy of a table: without the rows that no lookup reaches, each number what it should be, each line as a
// program writes it. What is only doubtful (two ids, odd or shifted cells, wrong results) stays: a person decides on
// that.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/table/lint/lint.h"

namespace gemmtune {

struct FixedTable {
  std::string text{};
  std::vector<Remark> changes{};  // in order of lines; layout (CRLF, blanks) is not listed
  std::size_t rows_before{};
  std::size_t rows_after{};
  std::size_t rows_changed{};  // of those that stayed
};

/// Drops what no-time, shadowed-row, device-contradiction, no-device, unasked-tokens and unusable-line find, repeated
/// shapes too; computes tflops and bw anew where they are missing or contradict us.
FixedTable lint_fix(const LintTable& table);

}  // namespace gemmtune
