#include "gemmtune/verify/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "gemmtune/core/parallel.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/quantise.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/verify/dot.h"
#include "gemmtune/verify/operand_rows.h"

namespace gemmtune {
namespace {

constexpr std::int64_t stripe_rows = 32;
constexpr std::int64_t panel_length = 2048;         // along K, so that a few rows of A stay in the first cache
constexpr std::int64_t rows_elements = 1 << 26;     // of A that are held as floats at once
constexpr std::int64_t columns_elements = 1 << 18;  // of the weights, for each thread
constexpr std::int64_t most_columns = 32;

/// The last row of a stripe, and `others` more that the seed chooses, ascending.
std::vector<std::int64_t> sample_stripe(std::int64_t first, std::int64_t last, std::int64_t others,
                                        std::uint64_t seed) {
  std::vector<std::int64_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  std::sort(rows.begin(), rows.end(), [&](std::int64_t left, std::int64_t right) {
    return counter_bits(seed, Tensor::a, row_stream + left) < counter_bits(seed, Tensor::a, row_stream + right);
  });
  rows.resize(std::min<std::size_t>(rows.size(), others));
  rows.push_back(last);
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Fills one batch of a Reference whose rows are chosen and whose vectors have their sizes.
class BatchReference {
 public:
  BatchReference(const Problem& problem, const Operands& operands, std::int64_t batch, Reference& reference)
      : n_(problem.n),
        k_(problem.k),
        a_(OperandRows(problem.a, problem.m, k_).at(batch, operands.a, operands.a_scale)),
        w_(OperandRows(problem.w, n_, k_).at(batch, operands.w, operands.w_scale)),
        rows_(reference.rows),
        values_(std::span(reference.values).subspan(batch * row_count() * n_, row_count() * n_)),
        row_norms_(std::span(reference.row_norms).subspan(batch * row_count(), row_count())),
        column_norms_(std::span(reference.column_norms).subspan(batch * n_, n_)) {}

  void compute() {
    const std::int64_t at_once = std::max<std::int64_t>(rows_elements / k_, 4);
    for (std::int64_t first = 0; first < row_count(); first += at_once)
      compute_rows(first, std::min(at_once, row_count() - first));
  }

 private:
  std::int64_t row_count() const { return static_cast<std::int64_t>(rows_.size()); }

  void compute_rows(std::int64_t first, std::int64_t count) {
    std::vector<float> a(count * k_);
    parallel_pieces(count, std::max<std::int64_t>(columns_elements / k_, 1), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto row = std::span(a).subspan(i * k_, k_);
        a_.read(rows_[first + i], 1, row);
        row_norms_[first + i] = norm(row.data());
      }
    });
    const std::int64_t columns = std::clamp<std::int64_t>(columns_elements / k_, 1, most_columns);
    parallel_pieces(n_, columns, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> w((end - begin) * k_);
      w_.read(begin, end - begin, w);
      for (std::int64_t i = begin; i < end; ++i) column_norms_[i] = norm(w.data() + (i - begin) * k_);
      multiply(a, w, first, begin);
    });
  }

  double norm(const float* row) const { return std::sqrt(dot(row, row, k_)); }

  /// Adds the products of rows `a` (from first_row on) and columns `w` (from first_column on), panel by panel along K.
  void multiply(std::span<const float> a, std::span<const float> w, std::int64_t first_row, std::int64_t first_column) {
    const std::int64_t rows = static_cast<std::int64_t>(a.size()) / k_;
    for (std::int64_t panel = 0; panel < k_; panel += panel_length) {
      const std::int64_t length = std::min(panel_length, k_ - panel);
      std::int64_t row = 0;
      for (; row + 4 <= rows; row += 4)
        for (std::int64_t column = 0; column * k_ < static_cast<std::int64_t>(w.size()); ++column)
          add_four(a.data() + row * k_ + panel, w.data() + column * k_ + panel, length,
                   &values_[(first_row + row) * n_ + first_column + column]);
      for (; row < rows; ++row)
        for (std::int64_t column = 0; column * k_ < static_cast<std::int64_t>(w.size()); ++column)
          values_[(first_row + row) * n_ + first_column + column] +=
              dot(a.data() + row * k_ + panel, w.data() + column * k_ + panel, length);
    }
  }

  void add_four(const float* a, const float* w, std::int64_t length, double* values) const {
    const auto sums = dot4({a, a + k_, a + 2 * k_, a + 3 * k_}, w, length);
    for (std::int64_t row = 0; row < 4; ++row) values[row * n_] += sums[row];
  }

  std::int64_t n_{};
  std::int64_t k_{};
  OperandRows a_;
  OperandRows w_;
  const std::vector<std::int64_t>& rows_;
  std::span<double> values_;
  std::span<double> row_norms_;
  std::span<double> column_norms_;
};

void add_bias(const Problem& problem, const std::byte* stored, std::span<double> values) {
  std::vector<float> bias(problem.n);
  dequantise_rows(stored, nullptr, 1, problem.n, Side{.type = problem.out, .scaling = Scaling::none}, 0, 1, bias);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += bias[i % bias.size()];
}

/// `stored` is [batch, M, N] without gaps.
void add_residual(const Problem& problem, const std::byte* stored, Reference& reference) {
  const Side side{.type = problem.out, .scaling = Scaling::none};
  const auto rows = static_cast<std::int64_t>(reference.rows.size());
  parallel_pieces(problem.batch * rows, 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> residual(problem.n);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / rows * problem.m + reference.rows[i % rows];
      dequantise_rows(stored, nullptr, problem.batch * problem.m, problem.n, side, row, 1, residual);
      for (std::int64_t n = 0; n < problem.n; ++n) reference.values[i * problem.n + n] += residual[n];
    }
  });
}

}  // namespace

std::vector<std::int64_t> rows_to_check(const Problem& problem, const VerifyPolicy& policy, std::uint64_t seed) {
  const auto affordable_flops = static_cast<double>(policy.full_reference_flops);
  std::vector<std::int64_t> rows(problem.m);
  std::iota(rows.begin(), rows.end(), 0);
  if (flops(problem) <= affordable_flops) return rows;
  const std::int64_t stripes = ceil_div(problem.m, stripe_rows);
  const double affordable_rows = affordable_flops / flops(problem) * static_cast<double>(problem.m);
  const std::int64_t in_each = std::max<std::int64_t>(static_cast<std::int64_t>(affordable_rows) / stripes, 2);
  rows.clear();
  for (std::int64_t first = 0; first < problem.m; first += stripe_rows) {
    const std::int64_t last = std::min(first + stripe_rows, problem.m) - 1;
    const auto sample = sample_stripe(first, last, in_each - 1, seed);
    rows.insert(rows.end(), sample.begin(), sample.end());
  }
  return rows;
}

Reference compute_reference(const Problem& problem, const HostOperands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed) {
  return compute_reference(problem, operands_of(operands), policy, seed);
}

Reference compute_reference(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                            std::uint64_t seed) {
  Reference reference{.rows = rows_to_check(problem, policy, seed)};
  const auto rows = static_cast<std::int64_t>(reference.rows.size());
  reference.values.resize(problem.batch * rows * problem.n);
  reference.row_norms.resize(problem.batch * rows);
  reference.column_norms.resize(problem.batch * problem.n);
  for (std::int64_t batch = 0; batch < problem.batch; ++batch)
    BatchReference(problem, operands, batch, reference).compute();
  if (problem.epilogue.bias) add_bias(problem, operands.bias, reference.values);
  if (problem.epilogue.residual) add_residual(problem, operands.residual, reference);
  return reference;
}

}  // namespace gemmtune
