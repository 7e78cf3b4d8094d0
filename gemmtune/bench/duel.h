// Two kernels of one shape, one of which may replace the other. It does so only when it is proven better.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gemmtune/bench/interleaved_bench.h"

namespace gemmtune {

enum class DuelVerdict : std::uint8_t {
  same_kernel,
  improved,      // b is faster by the least improvement or more, and their intervals are apart
  a_has_none,    // b is right, and a is wrong or missing
  too_little,    // b is faster, by less than the least improvement
  undecided,     // the intervals of their times overlap
  worse,         // b is slower
  b_has_none,    // a is right, and b is wrong or missing
  neither,       // is right
  not_repeated,  // improved in the first measurement, but not in the second, or b failed against adversarial operands
};

std::string_view to_string(DuelVerdict verdict);

/// Whether b replaces a.
bool replaces(DuelVerdict verdict);

struct DuelRules {
  double min_improvement_pct{3};  // AITER's: (a - b) / a in percent, of the medians
  std::int64_t measurements{4};   // at most, while it is not clear which of the two is faster
};

/// (a - b) / a in percent. Nothing if one of them has no time.
std::optional<double> improvement_pct(const MeasuredContender& a, const MeasuredContender& b);

/// What it may be, by the 95 % intervals of both times. Nothing if one of them has no time.
struct ImprovementRange {
  double low{};
  double high{};
};
std::optional<ImprovementRange> improvement_range_pct(const MeasuredContender& a, const MeasuredContender& b);

/// The verdict of one measurement.
DuelVerdict judge(const MeasuredContender& a, const MeasuredContender& b, const DuelRules& rules);

/// Whether b replaces a.
struct Challenge {
  Problem problem{};
  Contender a{};
  Contender b{};
};

struct Duel {
  DuelVerdict verdict{DuelVerdict::neither};
  ShapeBench bench{};  // a, then b: of the second measurement where there is one
};

/// Measures both in turns, several times if it is not clear which is faster. If b is better, both are measured again in
/// the other order, with proofs, and b must be better again. Equal kernels are not measured. Nothing when the evaluator
/// was interrupted.
std::optional<Duel> duel(Evaluator& evaluator, const Challenge& challenge, const BenchPlan& plan,
                         const DuelRules& rules);

}  // namespace gemmtune
