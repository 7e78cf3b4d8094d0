// What a row of C may hold and what its weighted sums may be off by, as arithmetic on numbers: the check over all rows,
// of which no reference exists (verify/row_sums.h). Host compilers and the run-time compilers of GPUs both take this
// text.
#pragma once

#include <cmath>
#include <cstdint>

#include "gemmtune/verify/closeness.h"

namespace gemmtune {

/// What an element of C is to the sum of its block.
enum class Share : std::uint8_t {
  summed,  // a number that may be right
  apart,   // rightly not finite: the block has no sum
  wrong,   // no kernel that is right writes it
};

/// ‖a‖ and ‖w‖ of the row and the column that meet in an element, and the most that bias and residual add there.
struct Meeting {
  double row_norm{};
  double column_norm{};
  double addend{};
};

struct SumRules {
  /// Sums may be off by this many root-sum-squares of the elements' bounds. Signs are random, so a right kernel exceeds
  /// that once in 10^13 sums at most (Hoeffding: 2·e^-32). The bounds are taken at what was found instead of at the
  /// reference, which is unknown.
  static constexpr double most_deviations = 8;

  ClosenessRules closeness{};

  /// Cauchy-Schwarz: no element is larger than ‖a‖·‖w‖ and what is added. A NaN or an infinity in an operand makes its
  /// norm NaN or infinite, and its whole row or column of C not finite.
  Share share(double found, const Meeting& at) const {
    if (std::isnan(at.row_norm) || std::isnan(at.column_norm)) return std::isnan(found) ? Share::apart : Share::wrong;
    const bool finite = !std::isnan(found) && !std::isinf(found);
    if (std::isinf(at.row_norm) || std::isinf(at.column_norm)) return finite ? Share::wrong : Share::apart;
    if (std::isnan(found)) return Share::wrong;
    const double norms = at.row_norm * at.column_norm;
    const double most = norms + at.addend + closeness.bound.at(norms + at.addend, norms);
    if (finite) return std::fabs(found) <= most ? Share::summed : Share::wrong;
    return most >= closeness.overflow ? Share::apart : Share::wrong;
  }

  /// What an element that is `found` with this weight adds to the square of what the sum may be off by.
  double square(double found, const Meeting& at, double weight) const {
    const double allowed = weight * closeness.bound.at(found, at.row_norm * at.column_norm);
    return allowed * allowed;
  }

  static double allowed(double squares) { return most_deviations * std::sqrt(squares); }
};

/// A block of a row of C, summed.
struct BlockSum {
  double sum{};
  double squares{};
  std::int64_t apart{};
  std::int64_t wrong{};

  void add(const SumRules& rules, double found, const Meeting& at, double weight) {
    const Share share = rules.share(found, at);
    apart += share == Share::apart ? 1 : 0;
    wrong += share == Share::wrong ? 1 : 0;
    if (share != Share::summed || weight == 0) return;
    sum += weight * found;
    squares += rules.square(found, at, weight);
  }

  /// How far it is from what it should be, as a share of what rounding explains; infinite where an element is wrong by
  /// itself, and 0 where the block has no sum.
  double share_of_bound(double expected) const {
    if (wrong > 0) return std::numeric_limits<double>::infinity();
    if (apart > 0 || sum == expected) return 0;
    return std::fabs(sum - expected) / SumRules::allowed(squares);
  }
};

}  // namespace gemmtune
