#include "gemmtune/verify/sampled_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/verify/verifier.h"

namespace gemmtune {
namespace {

/// Cᵀ before its epilogue is W·Aᵀ.
Problem transposed(Problem problem) {
  std::swap(problem.m, problem.n);
  std::swap(problem.a, problem.w);
  problem.epilogue = {};
  return problem;
}

std::vector<float> row_of(const Problem& problem, const std::byte* stored, std::int64_t rows, std::int64_t row) {
  std::vector<float> values(problem.n);
  const Side side{.type = problem.out, .scaling = Scaling::none};
  dequantise_rows(stored, nullptr, rows, problem.n, side, row, 1, values);
  return values;
}

void add_bias(const Problem& p, const std::byte* stored, Reference& to) {
  const auto bias = row_of(p, stored, 1, 0);
  for (std::size_t i = 0; i < to.values.size(); ++i)
    to.values[i] += static_cast<double>(bias[to.rows[i / p.m % to.rows.size()]]);
}

void add_residual(const Problem& p, const std::byte* stored, Reference& to) {
  const auto columns = static_cast<std::int64_t>(to.rows.size());
  parallel_pieces(p.batch * p.m, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto residual = row_of(p, stored, p.batch * p.m, row);
      for (std::int64_t i = 0; i < columns; ++i)
        to.values[(row / p.m * columns + i) * p.m + row % p.m] += static_cast<double>(residual[to.rows[i]]);
    }
  });
}

struct Place {
  std::int64_t row{};  // over all batches
  std::int64_t column{};
  double found{};
  double x{};
  double norms{};
};

}  // namespace

Reference compute_columns(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                          std::uint64_t seed) {
  const Operands swapped{.a = operands.w, .a_scale = operands.w_scale, .w = operands.a, .w_scale = operands.a_scale};
  auto columns = compute_reference(transposed(problem), swapped, policy, seed);
  if (problem.epilogue.bias) add_bias(problem, operands.bias, columns);
  if (problem.epilogue.residual) add_residual(problem, operands.residual, columns);
  return columns;
}

SumVerdict compare_columns(const Problem& problem, const Reference& columns, std::span<const std::byte> c,
                           const VerifyPolicy& policy) {
  const auto rules = closeness_rules(problem, policy);
  const auto count = static_cast<std::int64_t>(columns.rows.size());
  SumVerdict verdict;
  std::int64_t wrong = 0;
  Place first;
  const auto look_at = [&](const Place& place) {
    const double share = rules.distance(place.x, place.found, place.norms).share_of_bound;
    verdict.worst_share_of_bound = std::max(verdict.worst_share_of_bound, share);
    if (share > 1 && wrong++ == 0) first = place;
  };
  with_codec(problem.out, [&](auto codec) {
    using Stored = typename decltype(codec)::Stored;
    for (std::int64_t row = 0; row < problem.batch * problem.m; ++row)
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t of_batch = row / problem.m * count + i;
        look_at({.row = row,
                 .column = columns.rows[i],
                 .found = codec.decode(load<Stored>(c.data(), row * problem.n + columns.rows[i])),
                 .x = columns.values[of_batch * problem.m + row % problem.m],
                 .norms = columns.row_norms[of_batch] * columns.column_norms[row]});
      }
  });
  if (wrong == 0) return verdict;
  const auto batch = problem.batch == 1 ? std::string() : fmt::format("{}, ", first.row / problem.m);
  verdict.why_wrong = fmt::format(
      "{} of {} elements of the sampled columns are further off than rounding explains, the first is C[{}{}, {}] = "
      "{:.7g} where {:.7g} is right to within {:.3g}",
      wrong, problem.batch * problem.m * count, batch, first.row % problem.m, first.column, first.found,
      rules.bound.expected(first.x), rules.bound.at(first.x, first.norms));
  return verdict;
}

}  // namespace gemmtune
