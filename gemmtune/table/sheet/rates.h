// The tflops and bw that a row should have according to its time and its sizes, in the ways in which AITER's tuners
// have computed them; and whether a number in a table can be such a rate, given how far it and the time were rounded.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The work of one call. Bytes are counted as in the column bw, without scales and bias.
struct Work {
  double flops{};
  std::vector<double>
      bytes{};  // the right number first, then numbers that tuners have used instead: f32 outputs counted as 2 bytes
};

/// The work of GEMM rows of a known format and of fused MoE. Empty for all others.
std::optional<Work> work_of(const Sheet& sheet, const SheetRow& row, const std::optional<FormatGuess>& format);

/// The decimals of a number as it is written, at most 12. 0 for what is no number.
int decimals_in(std::string_view number);

/// The most decimals that a cell of this column has.
int decimals_of(const Sheet& sheet, std::optional<std::size_t> column);

/// A number in a table, and half a unit of its last decimal.
struct Rounded {
  double value{};
  double half_step{};
};

/// Whether `rate` can be work / time.
bool agrees(const Rounded& rate, double work_per_us, const Rounded& time);

}  // namespace gemmtune
