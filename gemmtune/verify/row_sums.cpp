#include "gemmtune/verify/row_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/draw_rules.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/verify/dot.h"
#include "gemmtune/verify/operand_rows.h"

namespace gemmtune {
namespace {

constexpr std::int64_t fewest_columns = 256;        // of a block
constexpr std::int64_t column_multiple = 32;        // blocks begin at such columns
constexpr std::int64_t floats_at_once = 1 << 18;    // of an operand, for each thread
constexpr std::int64_t elements_at_once = 1 << 16;  // of C
constexpr std::int64_t share_of_budget = 4;

Side unscaled(const Problem& problem) { return {.type = problem.out, .scaling = Scaling::none}; }

double norm(std::span<const float> row) {
  return std::sqrt(dot(row.data(), row.data(), static_cast<std::int64_t>(row.size())));
}

/// A vector of doubles as two of floats, whose sum is good to 48 bits: so that dot products with it are fast.
struct SplitVector {
  std::vector<float> high{};
  std::vector<float> low{};

  explicit SplitVector(std::span<const double> whole) : high(whole.size()), low(whole.size()) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      high[i] = static_cast<float>(whole[i]);
      low[i] = static_cast<float>(whole[i] - static_cast<double>(high[i]));
    }
  }

  double times(std::span<const float> row) const {
    const auto count = static_cast<std::int64_t>(row.size());
    return dot(high.data(), row.data(), count) + dot(low.data(), row.data(), count);
  }
};

/// Makes the sums of one batch.
class BatchSums {
 public:
  BatchSums(const Problem& problem, const Operands& operands, std::int64_t batch, RowSums& to)
      : n_(problem.n),
        k_(problem.k),
        blocks_(to.blocks),
        a_(OperandRows(problem.a, problem.m, k_).at(batch, operands.a, operands.a_scale)),
        w_(OperandRows(problem.w, n_, k_).at(batch, operands.w, operands.w_scale)),
        weights_(std::span(to.weights).subspan(batch * n_, n_)),
        column_norms_(std::span(to.column_norms).subspan(batch * n_, n_)),
        row_norms_(std::span(to.row_norms).subspan(batch * problem.m, problem.m)),
        sums_(std::span(to.sums).subspan(batch * problem.m * blocks_.count, problem.m * blocks_.count)) {}

  void compute(std::uint64_t seed, std::int64_t batch) {
    for (std::int64_t n = 0; n < n_; ++n) weights_[n] = sign_of(seed, batch, n);
    const auto vectors = weighted_sums();
    const auto rows = static_cast<std::int64_t>(row_norms_.size());
    parallel_pieces(rows, rows_at_once(), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> row(k_);
      for (std::int64_t m = begin; m < end; ++m) {
        a_.read(m, 1, row);
        row_norms_[m] = norm(row);
        for (std::int64_t block = 0; block < blocks_.count; ++block)
          sums_[m * blocks_.count + block] = vectors[block].times(row);
      }
    });
  }

 private:
  std::int64_t rows_at_once() const { return std::max<std::int64_t>(floats_at_once / k_, 1); }

  /// Wᵀ·r of each block.
  std::vector<SplitVector> weighted_sums() {
    std::vector<SplitVector> all;
    for (std::int64_t first = 0; first < n_; first += blocks_.columns)
      all.emplace_back(weighted_sum(first, std::min(blocks_.columns, n_ - first)));
    return all;
  }

  /// Pieces of it are summed apart, and added up in their order: the result does not depend on the threads.
  std::vector<double> weighted_sum(std::int64_t first, std::int64_t count) {
    const std::int64_t piece = round_up(ceil_div(count, 8), column_multiple);
    std::vector<std::vector<double>> parts(ceil_div(count, piece), std::vector<double>(k_));
    parallel_pieces(count, piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; n += rows_at_once())
        add_columns(first + n, std::min(rows_at_once(), end - n), parts[begin / piece]);
    });
    for (std::size_t i = 1; i < parts.size(); ++i)
      std::transform(parts[0].begin(), parts[0].end(), parts[i].begin(), parts[0].begin(), std::plus());
    return std::move(parts[0]);
  }

  void add_columns(std::int64_t first, std::int64_t count, std::vector<double>& sum) {
    std::vector<float> columns(count * k_);
    w_.read(first, count, columns);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto column = std::span(columns).subspan(i * k_, k_);
      column_norms_[first + i] = norm(column);
      const double weight = column_weight(weights_[first + i], column_norms_[first + i]);
      weights_[first + i] = weight;
      if (weight == 0) continue;
      for (std::int64_t k = 0; k < k_; ++k) sum[k] += weight * static_cast<double>(column[k]);
    }
  }

  std::int64_t n_{};
  std::int64_t k_{};
  ColumnBlocks blocks_{};
  OperandRows a_;
  OperandRows w_;
  std::span<double> weights_;
  std::span<double> column_norms_;
  std::span<double> row_norms_;
  std::span<double> sums_;
};

void add_bias(const Problem& p, const std::byte* stored, RowSums& to) {
  std::vector<float> bias(p.n);
  dequantise_rows(stored, nullptr, 1, p.n, unscaled(p), 0, 1, bias);
  std::vector<double> weighted(p.batch * to.blocks.count);
  for (std::int64_t i = 0; i < p.batch * p.n; ++i)
    weighted[i / p.n * to.blocks.count + to.blocks.of(i % p.n)] += to.weights[i] * static_cast<double>(bias[i % p.n]);
  for (std::int64_t i = 0; i < p.batch * p.m * to.blocks.count; ++i)
    to.sums[i] += weighted[i / (p.m * to.blocks.count) * to.blocks.count + i % to.blocks.count];
  std::ranges::transform(bias, to.column_addends.begin(), [](float value) { return std::fabs(value); });
}

void add_residual(const Problem& p, const std::byte* stored, RowSums& to) {
  parallel_pieces(p.batch * p.m, 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> residual(p.n);
    for (std::int64_t row = begin; row < end; ++row) {
      dequantise_rows(stored, nullptr, p.batch * p.m, p.n, unscaled(p), row, 1, residual);
      for (std::int64_t n = 0; n < p.n; ++n) {
        to.sums[row * to.blocks.count + to.blocks.of(n)] +=
            to.weights[row / p.m * p.n + n] * static_cast<double>(residual[n]);
        to.row_addends[row] = std::max(to.row_addends[row], static_cast<double>(std::fabs(residual[n])));
      }
    }
  });
}

struct RowOfC {
  const std::byte* c{};
  std::int64_t row{};  // over all batches
};

template <typename Codec>
void sum_row(const Problem& p, const RowSums& expected, const SumRules& rules, const RowOfC& at_row, BlockSum* to) {
  const auto [c, row] = at_row;
  const std::int64_t of_batch = row / p.m * p.n;
  for (std::int64_t n = 0; n < p.n; ++n) {
    const Meeting at{.row_norm = expected.row_norms[row],
                     .column_norm = expected.column_norms[of_batch + n],
                     .addend = expected.row_addends[row] + expected.column_addends[n]};
    const double found = Codec::decode(load<typename Codec::Stored>(c, row * p.n + n));
    to[expected.blocks.of(n)].add(rules, found, at, expected.weights[of_batch + n]);
  }
}

/// "C[1, 5, 0 to 255]": a block of a row, with the batch where there are several.
std::string name_of(const Problem& p, const ColumnBlocks& blocks, std::int64_t place) {
  const auto row = place / blocks.count;
  const auto begin = place % blocks.count * blocks.columns;
  const auto batch = p.batch == 1 ? std::string() : fmt::format("{}, ", row / p.m);
  return fmt::format("C[{}{}, {} to {}]", batch, row % p.m, begin, std::min(begin + blocks.columns, p.n) - 1);
}

std::string describe(const BlockSum& found, double expected) {
  if (found.wrong > 0)
    return fmt::format("{} elements there are NaN, infinite, finite or large where no right kernel makes them so",
                       found.wrong);
  return fmt::format("with random signs it is {:.7g} where {:.7g} is right to within {:.3g}", found.sum, expected,
                     SumRules::allowed(found.squares));
}

}  // namespace

ColumnBlocks column_blocks(const Problem& problem, const VerifyPolicy& policy) {
  const auto affordable = static_cast<double>(policy.full_reference_flops / share_of_budget);
  const double each = 4 * static_cast<double>(problem.batch * problem.m) * static_cast<double>(problem.k);
  const auto most = ceil_div(problem.n, fewest_columns);
  const auto count = static_cast<std::int64_t>(std::clamp(affordable / each, 1.0, static_cast<double>(most)));
  const auto columns = round_up(ceil_div(problem.n, count), column_multiple);
  return {.count = ceil_div(problem.n, columns), .columns = columns};
}

double sign_of(std::uint64_t seed, std::int64_t batch, std::int64_t column) {
  const Counter signs(seed, Tensor::w);
  const auto drawn =
      signs.bits(block_stream + (static_cast<std::uint64_t>(batch) << 40) + static_cast<std::uint64_t>(column));
  return (drawn & 1U) == 0 ? 1.0 : -1.0;
}

double column_weight(double sign, double norm) {
  if (!std::isfinite(norm)) return 0;
  return norm > 0 ? std::ldexp(sign, -std::ilogb(norm)) : sign;
}

RowSums compute_row_sums(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                         std::uint64_t seed) {
  RowSums to{.blocks = column_blocks(problem, policy)};
  to.weights.resize(problem.batch * problem.n);
  to.column_norms.resize(problem.batch * problem.n);
  to.row_norms.resize(problem.batch * problem.m);
  to.sums.resize(problem.batch * problem.m * to.blocks.count);
  to.row_addends.resize(problem.batch * problem.m);
  to.column_addends.resize(problem.n);
  for (std::int64_t batch = 0; batch < problem.batch; ++batch)
    BatchSums(problem, operands, batch, to).compute(seed, batch);
  if (problem.epilogue.bias) add_bias(problem, operands.bias, to);
  if (problem.epilogue.residual) add_residual(problem, operands.residual, to);
  return to;
}

std::vector<BlockSum> find_block_sums(const Problem& problem, const RowSums& expected, std::span<const std::byte> c,
                                      const VerifyPolicy& policy) {
  const SumRules rules{.closeness = closeness_rules(problem, policy)};
  std::vector<BlockSum> found(expected.sums.size());
  const auto grain = std::max<std::int64_t>(elements_at_once / problem.n, 1);
  with_codec(problem.out, [&](auto codec) {
    parallel_pieces(problem.batch * problem.m, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        sum_row<decltype(codec)>(problem, expected, rules, {c.data(), row}, &found[row * expected.blocks.count]);
    });
  });
  return found;
}

SumVerdict judge_block_sums(const Problem& problem, const ColumnBlocks& blocks, std::span<const double> expected,
                            std::span<const BlockSum> found) {
  SumVerdict verdict;
  std::vector<std::int64_t> wrong;
  for (std::int64_t i = 0; i < std::ssize(found); ++i) {
    const double share = found[i].share_of_bound(expected[i]);
    verdict.worst_share_of_bound = std::max(verdict.worst_share_of_bound, share);
    if (!(share <= 1)) wrong.push_back(i);
  }
  if (wrong.empty()) return verdict;
  const auto [first_row, last_row] =
      std::ranges::minmax(wrong, {}, [&](std::int64_t place) { return place / blocks.count % problem.m; });
  verdict.why_wrong = fmt::format(
      "{} of {} sums over parts of C's rows are wrong, the first of {}: {}; all lie in rows {} to {}", wrong.size(),
      found.size(), name_of(problem, blocks, wrong[0]), describe(found[wrong[0]], expected[wrong[0]]),
      first_row / blocks.count % problem.m, last_row / blocks.count % problem.m);
  return verdict;
}

SumVerdict compare_row_sums(const Problem& problem, const RowSums& expected, std::span<const std::byte> c,
                            const VerifyPolicy& policy) {
  return judge_block_sums(problem, expected.blocks, expected.sums, find_block_sums(problem, expected, c, policy));
}

void add(Verdict& verdict, const SumVerdict& of_all_rows) {
  auto& worst = verdict.accuracy.worst_share_of_bound;
  worst = std::max(worst, of_all_rows.worst_share_of_bound);
  if (!verdict.why_wrong.empty() && !of_all_rows.why_wrong.empty()) verdict.why_wrong += ". ";
  verdict.why_wrong += of_all_rows.why_wrong;
}

}  // namespace gemmtune
