#include "gemmtune/verify/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "gemmtune/core/parallel.h"
#include "gemmtune/core/text.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/verify/error_bound.h"

namespace gemmtune {
namespace {

constexpr std::int64_t elements_at_once = 1 << 16;

/// From this value on, the type's nearest number is infinity.
double overflow_of(DType type) {
  if (type == DType::f32) return 0x1.ffffffp127;
  return type == DType::f16 ? 65520.0 : 0x1.ffp127;
}

/// Counts elements of C, with the rows and columns that they lie in. The result of merging does not depend on the
/// order.
struct Region {
  std::int64_t count{};
  std::int64_t first{std::numeric_limits<std::int64_t>::max()};  // flat index in [batch, M, N]
  std::int64_t first_row{std::numeric_limits<std::int64_t>::max()};
  std::int64_t last_row{-1};
  std::int64_t first_column{std::numeric_limits<std::int64_t>::max()};
  std::int64_t last_column{-1};

  void merge(const Region& other) {
    count += other.count;
    first = std::min(first, other.first);
    first_row = std::min(first_row, other.first_row);
    last_row = std::max(last_row, other.last_row);
    first_column = std::min(first_column, other.first_column);
    last_column = std::max(last_column, other.last_column);
  }

  void add(std::int64_t index, std::int64_t row, std::int64_t column) { merge({1, index, row, row, column, column}); }
};

struct Tally {
  double worst_error{};
  double worst_share{};
  Region not_close{};
  Region out_of_bound{};  // without the unwritten

  void merge(const Tally& other) {
    worst_error = std::max(worst_error, other.worst_error);
    worst_share = std::max(worst_share, other.worst_share);
    not_close.merge(other.not_close);
    out_of_bound.merge(other.out_of_bound);
  }
};

/// Which rows of C are present.
enum class RowsOfC { all, checked };  // checked: of each batch the reference's rows, one after the other

/// C and what it is compared with. Elements are read as stored bits, so that the poison can be told from other NaNs,
/// and are named by their index in the whole C.
template <typename Codec>
class Comparison {
 public:
  using Stored = typename Codec::Stored;
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint16_t>;

  Comparison(const Problem& problem, const Reference& reference, std::span<const std::byte> c,
             const VerifyPolicy& policy)
      : problem_(problem), reference_(reference), c_(c), policy_(policy), rules_(closeness_rules(problem, policy)) {}

  Verdict run(RowsOfC rows, Poison poison) {
    rows_ = rows;
    poison_ = poison;
    const Region unwritten = rows == RowsOfC::all ? find_unwritten() : Region{};
    const Tally tally = compare_rows();
    Verdict verdict{};
    verdict.accuracy.checked = static_cast<std::int64_t>(reference_.values.size());
    verdict.accuracy.err_ratio = static_cast<double>(tally.not_close.count) /
                                 static_cast<double>(std::max<std::int64_t>(verdict.accuracy.checked, 1));
    verdict.accuracy.worst_error = tally.worst_error;
    verdict.accuracy.worst_share_of_bound = tally.worst_share;
    verdict.accuracy.unwritten = unwritten.count;
    verdict.why_wrong = explain(verdict.accuracy, unwritten, tally);
    return verdict;
  }

 private:
  std::int64_t checked_rows() const { return static_cast<std::int64_t>(reference_.rows.size()); }
  bool is_poison(std::int64_t place) const { return poison_.is(load<Bits>(c_.data(), place)); }

  /// Where an element is in the part of C that is present. `checked` counts the reference's rows over all batches.
  std::int64_t place_of(std::int64_t index, std::int64_t checked) const {
    return rows_ == RowsOfC::all ? index : checked * problem_.n + index % problem_.n;
  }
  double out(std::int64_t place) const { return Codec::decode(load<Stored>(c_.data(), place)); }

  /// Runs visit(total, first, last) on pieces of [0, count), each with a total of its own, and merges them.
  template <typename Total, typename Visit>
  static Total gather(std::int64_t count, std::int64_t grain, const Visit& visit) {
    Total all{};
    std::mutex mutex;
    parallel_pieces(count, grain, [&](std::int64_t begin, std::int64_t end) {
      Total here{};
      for (std::int64_t i = begin; i < end; ++i) visit(here, i);
      const std::lock_guard lock(mutex);
      all.merge(here);
    });
    return all;
  }

  std::int64_t rows_at_once() const { return std::max<std::int64_t>(elements_at_once / problem_.n, 1); }

  Region find_unwritten() const {
    return gather<Region>(problem_.batch * problem_.m, rows_at_once(), [&](Region& region, std::int64_t row) {
      for (std::int64_t column = 0; column < problem_.n; ++column)
        if (const std::int64_t index = row * problem_.n + column; is_poison(index))
          region.add(index, row % problem_.m, column);
    });
  }

  Tally compare_rows() const {
    return gather<Tally>(problem_.batch * checked_rows(), rows_at_once(),
                         [&](Tally& tally, std::int64_t row) { compare_row(tally, row); });
  }

  void compare_row(Tally& tally, std::int64_t checked) const {
    const std::int64_t batch = checked / checked_rows();
    const std::int64_t row = reference_.rows[checked % checked_rows()];
    for (std::int64_t column = 0; column < problem_.n; ++column) {
      const std::int64_t index = (batch * problem_.m + row) * problem_.n + column;
      const std::int64_t place = place_of(index, checked);
      const Distance distance =
          rules_.distance(reference_.values[checked * problem_.n + column], out(place), norms(checked, column));
      tally.worst_error = std::max(tally.worst_error, distance.error);
      tally.worst_share = std::max(tally.worst_share, distance.share_of_bound);
      if (!distance.close) tally.not_close.add(index, row, column);
      if (distance.share_of_bound > 1 && !is_poison(place)) tally.out_of_bound.add(index, row, column);
    }
  }

  double norms(std::int64_t checked, std::int64_t column) const {
    return reference_.row_norms[checked] * reference_.column_norms[checked / checked_rows() * problem_.n + column];
  }

  std::string explain(const Accuracy& accuracy, const Region& unwritten, const Tally& tally) const {
    std::vector<std::string> reasons;
    const std::int64_t all = problem_.batch * problem_.m * problem_.n;
    if (unwritten.count > 0)
      reasons.push_back(fmt::format("{} of {} elements were never written, the first is {}; {}", unwritten.count, all,
                                    name(unwritten.first), extent(unwritten)));
    if (tally.out_of_bound.count > 0)
      reasons.push_back(fmt::format(
          "{} of {} checked elements are further off than rounding explains, the first is {}; {}",
          tally.out_of_bound.count, accuracy.checked, describe(tally.out_of_bound.first), extent(tally.out_of_bound)));
    if (accuracy.err_ratio > policy_.err_ratio_limit)
      reasons.push_back(fmt::format("error ratio {:.4g} is above {:.4g}, the first element not close is {}; {}",
                                    accuracy.err_ratio, policy_.err_ratio_limit, describe(tally.not_close.first),
                                    extent(tally.not_close)));
    return join(reasons, ". ");
  }

  /// "C[3, 5]", with the batch in front where there are several.
  std::string name(std::int64_t index) const {
    const std::int64_t row = index / problem_.n;
    if (problem_.batch == 1) return fmt::format("C[{}, {}]", row, index % problem_.n);
    return fmt::format("C[{}, {}, {}]", row / problem_.m, row % problem_.m, index % problem_.n);
  }

  std::string describe(std::int64_t index) const {
    const std::int64_t row = index / problem_.n;
    const std::int64_t column = index % problem_.n;
    const auto place = std::lower_bound(reference_.rows.begin(), reference_.rows.end(), row % problem_.m);
    const std::int64_t checked = row / problem_.m * checked_rows() + (place - reference_.rows.begin());
    const double x = reference_.values[checked * problem_.n + column];
    return fmt::format("{} = {:.7g} where {:.7g} is right to within {:.3g}", name(index), out(place_of(index, checked)),
                       rules_.bound.expected(x), rules_.bound.at(x, norms(checked, column)));
  }

  static std::string extent(const Region& region) {
    return fmt::format("all lie in rows {} to {}, columns {} to {}", region.first_row, region.last_row,
                       region.first_column, region.last_column);
  }

  const Problem& problem_;
  const Reference& reference_;
  std::span<const std::byte> c_;
  const VerifyPolicy& policy_;
  ClosenessRules rules_{};
  RowsOfC rows_{};
  Poison poison_{};
};

/// What is present of C, and what it was filled with before the launch.
struct Found {
  std::span<const std::byte> c{};
  RowsOfC rows{};
  Poison poison{};
};

Verdict compare(const Problem& problem, const Reference& reference, const Found& found, const VerifyPolicy& policy) {
  const auto& [c, rows, poison] = found;
  if (problem.out == DType::f32) return Comparison<F32Codec>(problem, reference, c, policy).run(rows, poison);
  if (problem.out == DType::f16) return Comparison<F16Codec>(problem, reference, c, policy).run(rows, poison);
  if (problem.out == DType::bf16) return Comparison<Bf16Codec>(problem, reference, c, policy).run(rows, poison);
  fail(ErrorCode::unsupported, "outputs of type {} cannot be checked", to_string(problem.out));
}

}  // namespace

ClosenessRules closeness_rules(const Problem& problem, const VerifyPolicy& policy) {
  return {
      .bound = error_bound_of(problem), .overflow = overflow_of(problem.out), .atol = policy.atol, .rtol = policy.rtol};
}

double error_bound(const Problem& problem, double x, double row_norm, double column_norm) {
  return error_bound_of(problem).at(x, row_norm * column_norm);
}

void poison(std::span<std::byte> c, Poison with) {
  for (std::size_t i = 0; i < c.size(); ++i)
    c[i] = static_cast<std::byte>((i % 2 == 0 ? with.pattern : with.pattern >> 8) & 0xffU);
}

Verdict compare(const Problem& problem, const Reference& reference, std::span<const std::byte> c,
                const VerifyPolicy& policy, Poison poison) {
  const auto bytes = storage_bytes(problem.out, problem.batch * problem.m * problem.n);
  if (static_cast<std::int64_t>(c.size()) != bytes)
    fail(ErrorCode::usage, "C has {} bytes, not the {} of {}", c.size(), bytes, to_string(problem));
  return compare(problem, reference, Found{c, RowsOfC::all, poison}, policy);
}

Verdict compare_checked_rows(const Problem& problem, const Reference& reference, std::span<const std::byte> rows,
                             const VerifyPolicy& policy, Poison poison) {
  if (rows.size() * 8 != reference.values.size() * static_cast<std::size_t>(bits(problem.out)))
    fail(ErrorCode::usage, "{} bytes are not the {} checked rows of {}", rows.size(), reference.rows.size(),
         to_string(problem));
  return compare(problem, reference, Found{rows, RowsOfC::checked, poison}, policy);
}

}  // namespace gemmtune
