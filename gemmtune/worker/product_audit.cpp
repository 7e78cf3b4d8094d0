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

std::int64_t affordable_rows(const Problem& problem) {
  const auto by_cost = most_products / std::max<std::int64_t>(problem.n * problem.k, 1);
  const auto by_size = most_product_bytes / storage_bytes(problem.out, problem.n);
  return std::clamp<std::int64_t>(std::min(by_cost, by_size), 1, std::min(most_rows, problem.m));
}

using Bytes = std::vector<std::byte>;

/// Parts `index`, … of a buffer that consists of `count` equal parts.
Bytes part(const Bytes& whole, std::int64_t index, std::int64_t count) {
  const auto size = static_cast<std::ptrdiff_t>(whole.size()) / count;
  return {whole.begin() + index * size, whole.begin() + (index + 1) * size};
}

Bytes parts(const Bytes& whole, const std::vector<std::int64_t>& indices, std::int64_t count) {
  Bytes chosen;
  if (whole.empty()) return chosen;
  for (const auto index : indices) {
    const auto one = part(whole, index, count);
    chosen.insert(chosen.end(), one.begin(), one.end());
  }
  return chosen;
}

/// The numbers do not depend on how matrices are stored.
Problem without_layout(Problem problem) {
  problem.layout = {};
  problem.packed = false;
  return problem;
}

Bytes joined(const std::vector<Bytes>& rows) {
  Bytes all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

Recipe adversarial_recipe(const Problem& problem) {
  return differs_from_gaussian(problem, Recipe::wide_rows) ? Recipe::wide_rows : Recipe::one_sign;
}

}  // namespace

/// What some rows of the product of one batch element should be, as a problem of its own. It is computed once, since a
/// search audits dozens of candidates of one problem.
struct ProductAudit::Exam {
  Problem problem{};
  Recipe recipe{};
  std::uint64_t seed{};
  std::int64_t batch_element{};
  std::vector<std::int64_t> rows{};  // of that batch element
  Reference reference{};             // of those rows

  Problem part(std::size_t row_count) const {
    auto part = without_layout(problem);
    part.m = static_cast<std::int64_t>(row_count);
    part.batch = 1;
    return part;
  }

  /// Of some of the rows, by their indices into `rows`.
  Reference of(const std::vector<std::int64_t>& chosen) const {
    Reference some{.rows = std::vector<std::int64_t>(chosen.size()), .column_norms = reference.column_norms};
    std::iota(some.rows.begin(), some.rows.end(), 0);
    for (const auto index : chosen) {
      const auto row = reference.values.begin() + index * problem.n;
      some.values.insert(some.values.end(), row, row + problem.n);
      some.row_norms.push_back(reference.row_norms[index]);
    }
    return some;
  }

  Failure take(Steps& steps, const Subject& subject, const std::vector<std::int64_t>& chosen) const {
    ProductRequest request{.problem = subject.problem, .candidate = subject.candidate, .recipe = recipe, .seed = seed};
    for (const auto index : chosen) request.rows.push_back(batch_element * problem.m + rows[index]);
    const auto product = steps.multiply(request);
    if (product.outcome != Outcome::ok) return {product.outcome, "at the audit: " + product.reason};
    const auto verdict = compare_checked_rows(part(chosen.size()), of(chosen), joined(product.rows), subject.verify);
    if (verdict.why_wrong.empty()) return {};
    return {Outcome::wrong_result, fmt::format("at the audit, on {} operands of another seed, rows from {} on: {}",
                                               to_string(recipe), request.rows.front(), verdict.why_wrong)};
  }
};

ProductAudit::ProductAudit() = default;
ProductAudit::~ProductAudit() = default;

std::uint64_t ProductAudit::draw() { return std::uint64_t{random_()} << 32 | random_(); }

/// The last row is always among them: kernels forget the edge of C more often than its middle.
std::unique_ptr<ProductAudit::Exam> ProductAudit::make_exam(const Problem& problem, Recipe recipe) {
  auto exam = std::make_unique<Exam>(Exam{.problem = problem, .recipe = recipe, .seed = draw()});
  exam->batch_element = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(problem.batch));
  std::set<std::int64_t> rows{problem.m - 1};
  while (std::ssize(rows) < affordable_rows(problem))
    rows.insert(static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(problem.m)));
  exam->rows = {rows.begin(), rows.end()};
  auto all = draw_operands(without_layout(problem), recipe, exam->seed);
  const auto of_batch = [&](const Bytes& tensor) {
    return tensor.empty() ? Bytes{} : part(tensor, exam->batch_element, problem.batch);
  };
  const bool scales_are_of_rows = scale_grid(problem.a.scaling, problem.m, problem.k).rows == problem.m;
  const HostOperands operands{
      .a = parts(of_batch(all.a), exam->rows, problem.m),
      .a_scale = scales_are_of_rows ? parts(of_batch(all.a_scale), exam->rows, problem.m) : of_batch(all.a_scale),
      .w = of_batch(all.w),
      .w_scale = of_batch(all.w_scale),
      .bias = std::move(all.bias),
      .residual = parts(of_batch(all.residual), exam->rows, problem.m)};
  const VerifyPolicy all_rows{.full_reference_flops = std::numeric_limits<std::int64_t>::max()};
  exam->reference = compute_reference(exam->part(exam->rows.size()), operands, all_rows, 0);
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
