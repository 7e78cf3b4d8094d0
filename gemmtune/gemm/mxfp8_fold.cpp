#include "gemmtune/gemm/mxfp8_fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::int64_t rows_at_once = 16;

std::uint32_t byte_at(const std::vector<std::byte>& bytes, std::int64_t index) {
  return std::to_integer<std::uint32_t>(bytes[static_cast<std::size_t>(index)]);
}

/// Squares of norms, in units of the new scale.
struct Squares {
  double error{};
  double real{};

  void add(const Squares& other, double unit) {
    error += other.error * unit * unit;
    real += other.real * unit * unit;
  }
};

class Folding {
 public:
  Folding(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side, Mxfp8Base base)
      : operand_(operand),
        k_(k),
        grid_(scale_grid(side.scaling, rows, k)),
        length_(base == Mxfp8Base::group ? mxfp8_group : std::max<std::int64_t>(k, 1)),
        parts_(ceil_div(k, length_)) {
    folded_.values.resize(static_cast<std::size_t>(rows * k));
    folded_.scales.resize(static_cast<std::size_t>(rows * parts_));
    folded_.changes.resize(static_cast<std::size_t>(rows));
  }

  FoldedMxfp8 run() && {
    parallel_pieces(std::ssize(folded_.changes), rows_at_once, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end; ++row) fold_row(row);
    });
    return std::move(folded_);
  }

 private:
  std::uint32_t e8m0_at(std::int64_t row, std::int64_t column) const {
    return byte_at(operand_.scales, row / grid_.row_block * grid_.cols + column / mxfp8_block);
  }

  /// Of the elements [first, end) of a row.
  int base_of(std::int64_t row, std::int64_t first, std::int64_t end) const {
    int base = no_mxfp8_base;
    for (auto column = first; column < end; ++column)
      base = std::max(base,
                      mxfp8_base(mxfp8_magnitude(byte_at(operand_.values, row * k_ + column)), e8m0_at(row, column)));
    return base;
  }

  void fold_row(std::int64_t row) {
    auto& change = folded_.changes[row];
    Squares of_row;
    for (std::int64_t part = 0; part < parts_; ++part) {
      const auto first = part * length_;
      const auto end = std::min(first + length_, k_);
      const int base = base_of(row, first, end);
      folded_.scales[row * parts_ + part] = mxfp8_scale(base);
      const auto squares = fold_part(row, {first, end, base}, change);
      // Only ratios count, and these stay in the range of doubles.
      if (base != nan_mxfp8_base && base != no_mxfp8_base) of_row.add(squares, std::ldexp(1.0, base));
    }
    change.error = of_row.error == 0 ? 0 : static_cast<float>(std::sqrt(of_row.error / of_row.real));
  }

  struct Part {
    std::int64_t first{};
    std::int64_t end{};
    int base{};
  };

  Squares fold_part(std::int64_t row, const Part& part, Mxfp8RowChange& change) {
    Squares squares;
    for (auto column = part.first; column < part.end; ++column) {
      const auto code = byte_at(operand_.values, row * k_ + column);
      const float factor = mxfp8_factor(e8m0_at(row, column), part.base);
      const auto folded = mxfp8_folded(code, factor);
      folded_.values[row * k_ + column] = static_cast<std::byte>(folded);
      if (part.base == nan_mxfp8_base || (code & 0x7fU) == e4m3_nan) continue;
      const double real = mxfp8_rescaled(code, factor);
      const double error = real - Minifloat<3, 7>::value(folded & 0x7fU);
      change.changed += error != 0 ? 1 : 0;
      squares.error += error * error;
      squares.real += real * real;
    }
    return squares;
  }

  const Quantised& operand_;
  std::int64_t k_;
  ScaleGrid grid_;
  std::int64_t length_;
  std::int64_t parts_;
  FoldedMxfp8 folded_;
};

}  // namespace

Mxfp8FoldReport mxfp8_fold_report(const std::vector<Mxfp8RowChange>& changes) {
  Mxfp8FoldReport report;
  for (const auto& [error, changed] : changes) {
    report.elements += changed;
    report.rows += changed > 0 ? 1 : 0;
    report.refused_rows += error > mxfp8_fold_bound_of_w ? 1 : 0;
    report.worst_error = std::max<double>(report.worst_error, error);
  }
  return report;
}

std::string why_not_folded(const Mxfp8FoldReport& report, std::int64_t rows) {
  if (report.refused_rows == 0) return "";
  return fmt::format(
      "{} of {} rows of the weights do not fit: with one scale for a row, values are off by up to {:.2g} of the row's "
      "norm, and {:.2g} is allowed",
      report.refused_rows, rows, report.worst_error, mxfp8_fold_bound_of_w);
}

FoldedMxfp8 fold_mxfp8(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side, Mxfp8Base base) {
  if (!is_mxfp8(side)) fail(ErrorCode::unsupported, "only MXFP8 is folded so");
  return Folding(operand, rows, k, side, base).run();
}

}  // namespace gemmtune
