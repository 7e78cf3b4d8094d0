// Two kernels of one shape, one to replace the other: only what is proven better does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gemmtune/bench/interleaved_bench.h"

namespace gemmtune {

enum class DuelVerdict : std::uint8_t {
  same_kernel,
  improved,      // b is faster by the least improvement or more, and their intervals are apart
  a_has_none,    // b is right and a is not, or there is none
  too_little,    // b is faster, by less
  undecided,     // the intervals of their times overlap
  worse,         // b is slower
  b_has_none,    // a is right and b is not, or there is none
  neither,       // is right
  not_repeated,  // improved at first; not when both were measured anew, or b did not withstand adversarial operands
};

std::string_view to_string(DuelVerdict verdict);

/// Is b to replace a?
bool replaces(DuelVerdict verdict);

struct DuelRules {
  double min_improvement_pct{3};  // AITER's: (a - b) / a in percent, of the medians
};

/// (a - b) / a in percent; nothing where one has no time.
std::optional<double> improvement_pct(const MeasuredContender& a, const MeasuredContender& b);

/// Of one measurement.
DuelVerdict judge(const MeasuredContender& a, const MeasuredContender& b, const DuelRules& rules);

/// b is to replace a.
struct Challenge {
  Problem problem{};
  Contender a{};
  Contender b{};
};

struct Duel {
  DuelVerdict verdict{DuelVerdict::neither};
  ShapeBench bench{};  // a, then b: of the second measurement where there is one
};

/// Measures both in turns and, where b is better, once more in the other order and with proofs: it must be better
/// again. Equal kernels are not measured. Nothing when the evaluator was interrupted.
std::optional<Duel> duel(Evaluator& evaluator, const Challenge& challenge, const BenchPlan& plan,
                         const DuelRules& rules);

}  // namespace gemmtune
