#include "gemmtune/worker/product_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "gemmtune/gemm/draw.h"
#include "gemmtune/verify/reference.h"
#include "gemmtune/verify/verifier.h"

namespace gemmtune {
namespace {

/// How many rows are computed for a problem, and how many of these a candidate is asked for.
constexpr std::int64_t most_rows = 16;
constexpr std::int64_t asked_rows = 8;
constexpr std::int64_t most_products = 500'000'000;  // multiplications for the rows of one problem
constexpr std::int64_t group_columns = 128;          // whose weights may share scales

std::int64_t affordable_rows(const Problem& problem, std::int64_t columns) {
  const auto by_cost = most_products / std::max<std::int64_t>(columns * problem.k, 1);
  const auto by_size = most_product_bytes / storage_bytes(problem.out, problem.n);
  return std::clamp<std::int64_t>(std::min(by_cost, by_size), 1, std::min(most_rows, problem.m));
}

using Bytes = std::vector<std::byte>;
using Numbers = std::vector<std::int64_t>;

/// Parts of a buffer that consists of `count` equal parts.
Bytes parts(const Bytes& whole, const Numbers& chosen, std::int64_t count) {
  Bytes found;
  const auto size = static_cast<std::ptrdiff_t>(whole.size()) / count;
  for (const auto index : chosen)
    found.insert(found.end(), whole.begin() + index * size, whole.begin() + (index + 1) * size);
  return found;
}

/// Columns of a matrix of rows of `n` elements.
Bytes columns_of(const Bytes& matrix, std::int64_t rows, const Numbers& columns, std::int64_t n) {
  Numbers elements;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const auto column : columns) elements.push_back(row * n + column);
  return parts(matrix, elements, rows * n);
}

Numbers shifted(Numbers numbers, std::int64_t by) {
  for (auto& number : numbers) number += by;
  return numbers;
}

/// The numbers do not depend on how matrices are stored.
Problem without_layout(Problem problem) {
  problem.layout = {};
  problem.packed = false;
  return problem;
}

Recipe adversarial_recipe(const Problem& problem) {
  return differs_from_gaussian(problem, Recipe::wide_rows) ? Recipe::wide_rows : Recipe::one_sign;
}

}  // namespace

/// What some rows of the product of one batch element should be, as a problem of its own. It is computed once, since a
/// search audits dozens of candidates of one problem. Of large weights, only some are drawn: the worker multiplies all,
/// and does not know which columns of C are looked at.
struct ProductAudit::Exam {
  Problem problem{};
  Recipe recipe{};
  std::uint64_t seed{};
  std::int64_t batch_element{};
  Numbers rows{};         // of that batch element
  Numbers columns{};      // of those rows
  Reference reference{};  // of those elements

  Problem part(std::size_t row_count) const {
    auto part = without_layout(problem);
    part.m = static_cast<std::int64_t>(row_count);
    part.n = std::ssize(columns);
    part.batch = 1;
    return part;
  }

  /// Of some of the rows, by their indices into `rows`.
  Reference of(const Numbers& chosen) const {
    Reference some{.rows = Numbers(chosen.size()), .column_norms = reference.column_norms};
    std::iota(some.rows.begin(), some.rows.end(), 0);
    for (const auto index : chosen) {
      const auto row = reference.values.begin() + index * std::ssize(columns);
      some.values.insert(some.values.end(), row, row + std::ssize(columns));
      some.row_norms.push_back(reference.row_norms[index]);
    }
    return some;
  }

  /// The looked-at columns of the worker's rows.
  Bytes found(const std::vector<Bytes>& product) const {
    Bytes all;
    for (const auto& row : product) {
      const auto some = columns_of(row, 1, columns, problem.n);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  std::string columns_in_words() const {
    if (std::ssize(columns) == problem.n) return "";
    return fmt::format(", columns counted among {} of {} that were drawn", columns.size(), problem.n);
  }

  /// Rows of A or of the weights. Only the scale of a whole tensor needs all of them.
  Quantised side_rows(Tensor tensor, const Numbers& chosen) const {
    const auto plain = without_layout(problem);
    const auto& side = tensor == Tensor::a ? problem.a : problem.w;
    const auto first = batch_element * (tensor == Tensor::a ? problem.m : problem.n);
    if (side.scaling != Scaling::tensor && side.scaling != Scaling::nv_1x16)
      return draw_rows(plain, tensor, recipe, seed, shifted(chosen, first));
    const auto all = draw_tensor(plain, tensor, recipe, seed);
    const Quantised matrix{.values = parts(all.values, {batch_element}, problem.batch),
                           .scales = parts(all.scales, {batch_element}, problem.batch)};
    return rows_of(matrix, tensor == Tensor::a ? problem.m : problem.n, problem.k, side, chosen);
  }

  /// Of the part.
  HostOperands operands() const {
    const auto plain = without_layout(problem);
    auto [a, a_scale] = side_rows(Tensor::a, rows);
    auto [w, w_scale] = side_rows(Tensor::w, columns);
    HostOperands drawn{
        .a = std::move(a), .a_scale = std::move(a_scale), .w = std::move(w), .w_scale = std::move(w_scale)};
    if (problem.epilogue.bias)
      drawn.bias = parts(draw_tensor(plain, Tensor::bias, recipe, seed).values, columns, problem.n);
    if (problem.epilogue.residual) {
      const auto of_rows = draw_rows(plain, Tensor::residual, recipe, seed, shifted(rows, batch_element * problem.m));
      drawn.residual = columns_of(of_rows.values, std::ssize(rows), columns, problem.n);
    }
    return drawn;
  }

  Failure take(Steps& steps, const Subject& subject, const Numbers& chosen) const {
    ProductRequest request{.problem = subject.problem, .candidate = subject.candidate, .recipe = recipe, .seed = seed};
    for (const auto index : chosen) request.rows.push_back(batch_element * problem.m + rows[index]);
    const auto product = steps.multiply(request);
    if (product.outcome != Outcome::ok) return {product.outcome, "at the audit: " + product.reason};
    const auto verdict = compare_checked_rows(part(chosen.size()), of(chosen), found(product.rows), subject.verify);
    if (verdict.why_wrong.empty()) return {};
    return {Outcome::wrong_result,
            fmt::format("at the audit, on {} operands of another seed, rows from {} on{}: {}", to_string(recipe),
                        request.rows.front(), columns_in_words(), verdict.why_wrong)};
  }
};

ProductAudit::ProductAudit(std::int64_t most_weights) : most_weights_(most_weights) {}
ProductAudit::~ProductAudit() = default;

std::uint64_t ProductAudit::draw() { return std::uint64_t{random_()} << 32 | random_(); }

/// The last row and the last column are always among them: kernels forget the edge of C more often than its middle.
Numbers ProductAudit::draw_row_numbers(std::int64_t of, std::int64_t count) {
  std::set<std::int64_t> drawn{of - 1};
  while (std::ssize(drawn) < count) drawn.insert(static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(of)));
  return {drawn.begin(), drawn.end()};
}

Numbers ProductAudit::draw_column_numbers(const Problem& problem) {
  const auto groups = (problem.n + group_columns - 1) / group_columns;
  const auto affordable =
      std::max<std::int64_t>(most_weights_ / std::max<std::int64_t>(problem.k * group_columns, 1), 2);
  Numbers columns;
  for (const auto group : draw_row_numbers(groups, std::min(groups, affordable)))
    for (auto column = group * group_columns; column < std::min((group + 1) * group_columns, problem.n); ++column)
      columns.push_back(column);
  return columns;
}

std::unique_ptr<ProductAudit::Exam> ProductAudit::make_exam(const Problem& problem, Recipe recipe) {
  auto exam = std::make_unique<Exam>(Exam{.problem = problem, .recipe = recipe, .seed = draw()});
  exam->batch_element = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(problem.batch));
  exam->columns = draw_column_numbers(problem);
  exam->rows = draw_row_numbers(problem.m, affordable_rows(problem, std::ssize(exam->columns)));
  const VerifyPolicy all_rows{.full_reference_flops = std::numeric_limits<std::int64_t>::max()};
  exam->reference = compute_reference(exam->part(exam->rows.size()), exam->operands(), all_rows, 0);
  return exam;
}

Failure ProductAudit::audit(Steps& steps, const Subject& subject) {
  if (!last_ || !(last_->problem == subject.problem)) last_ = make_exam(subject.problem, Recipe::gaussian);
  std::vector<std::int64_t> chosen(last_->rows.size());
  std::iota(chosen.rbegin(), chosen.rend(), 0);
  std::mt19937_64 shuffling(draw());
  std::ranges::shuffle(std::span(chosen).subspan(1), shuffling);  // the last row stays
  chosen.resize(std::min<std::size_t>(chosen.size(), asked_rows));
  std::ranges::sort(chosen);
  return last_->take(steps, subject, chosen);
}

const ProductAudit::Exam& ProductAudit::exam_new_to(const Steps& steps, const Problem& problem, Recipe recipe) {
  auto& [exam, known_to] = fresh_[recipe];
  if (!exam || !(exam->problem == problem) || known_to.contains(&steps)) {
    exam = make_exam(problem, recipe);
    known_to.clear();
  }
  known_to.insert(&steps);
  return *exam;
}

Failure ProductAudit::audit_anew(Steps& steps, const Subject& subject) {
  for (const auto recipe : {Recipe::gaussian, adversarial_recipe(subject.problem)}) {
    const auto& exam = exam_new_to(steps, subject.problem, recipe);
    std::vector<std::int64_t> all(exam.rows.size());
    std::iota(all.begin(), all.end(), 0);
    if (auto failure = exam.take(steps, subject, all); failure.outcome != Outcome::ok) return failure;
  }
  return {};
}

}  // namespace gemmtune
