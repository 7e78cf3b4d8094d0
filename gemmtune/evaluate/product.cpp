#include "gemmtune/evaluate/product.h"

#include <random>
#include <span>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/operand_sets.h"
#include "gemmtune/gemm/relayout.h"
#include "gemmtune/verify/poison.h"

namespace gemmtune {
namespace {

void insist_on_possible_rows(const ProductRequest& request) {
  const auto& [problem, candidate, recipe, seed, rows] = request;
  const auto last = problem.batch * problem.m;
  for (const auto row : rows)
    if (row < 0 || row >= last) fail(ErrorCode::usage, "rows: expected numbers below {}, found {}", last, row);
  const auto bytes = static_cast<std::int64_t>(rows.size()) * storage_bytes(problem.out, problem.n);
  if (rows.size() > 1 && bytes > most_product_bytes)
    fail(ErrorCode::usage, "rows: {} rows have {} bytes, at most {} are returned", rows.size(), bytes,
         most_product_bytes);
}

class Multiplication {
 public:
  Multiplication(const Workbench& bench, Examiner& examiner, const ProductRequest& request)
      : bench_(bench), examiner_(examiner), request_(request), attempt_(bench.device, request.candidate, {}) {}

  Product run() {
    if (attempt_.prepare(bench_.families, request_.problem) && attempt_.step(blame_launch, [&] { make_operands(); }))
      launch();
    attempt_.release();
    product_.outcome = attempt_.evaluation().outcome;
    product_.reason = attempt_.evaluation().reason;
    if (product_.outcome != Outcome::ok) product_.rows.clear();
    return std::move(product_);
  }

 private:
  void make_operands() {
    sets_.emplace(bench_.device, request_.problem);
    examiner_.draw(request_.problem, request_.recipe, request_.seed, sets_->inputs());
    const auto poison = draw_poison(std::random_device{}());
    bench_.device.fill(sets_->c(0).data(), sets_->c(0).size(), poison.pattern);
  }

  void launch() {
    if (attempt_.launch_once(*sets_)) static_cast<void>(attempt_.step(blame_launch, [&] { fetch_rows(); }));
  }

  void fetch_rows() {
    const auto matrix = stored_c(request_.problem);
    const auto row_bytes = storage_bytes(matrix.type, matrix.cols);
    for (const auto row : request_.rows) {
      const auto at = row / matrix.rows * matrix.batch_stride + row % matrix.rows * matrix.leading_dimension;
      std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes));
      bench_.device.download(sets_->c(0).data() + storage_bytes(matrix.type, at), bytes);
      product_.rows.push_back(std::move(bytes));
    }
  }

  const Workbench& bench_;
  Examiner& examiner_;
  const ProductRequest& request_;
  Attempt attempt_;
  std::optional<OperandSets> sets_{};
  Product product_{};
};

}  // namespace

Product product_of(const Workbench& bench, Examiner& examiner, const ProductRequest& request) {
  insist_on_possible_rows(request);
  return Multiplication(bench, examiner, request).run();
}

}  // namespace gemmtune
