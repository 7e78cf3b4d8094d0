#include "gemmtune/families/cublaslt/folded_gemm.h"

#include <utility>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune::cublaslt {
namespace {

FoldSpec spec_of(const FoldedRoute& route, std::int64_t rows, std::int64_t k) {
  return {.type = route.type, .base = route.base, .rows = rows, .k = k};
}

bool is_rounded_after(const Problem& problem, const FoldedRoute& route) {
  return problem.out == DType::f16 && route.inner.type == DType::bf16;
}

/// The problem that ProductScaler gets to round the f32 product, to which the scales have already been applied.
Problem rounding(const Problem& problem, const FoldedRoute& route) {
  Problem rounded = problem;
  rounded.a = rounded.w = route.inner;
  return rounded;
}

}  // namespace

Problem inner_problem(const Problem& problem, const FoldedRoute& route) {
  Problem inner = problem;
  inner.a = inner.w = route.inner;
  inner.packed = false;
  if (is_rounded_after(problem, route)) {
    inner.out = DType::f32;
    inner.epilogue.bias = false;
  }
  return inner;
}

FoldedGemm::FoldedGemm(const Problem& problem, const FoldedRoute& route, std::unique_ptr<PreparedGemm> inner,
                       const std::string& arch)
    : inner_(std::move(inner)),
      fold_w_(spec_of(route, problem.batch * problem.n, problem.k), arch),
      at_w_(fold_w_.layout()) {
  if (problem.a != route.inner) {
    fold_a_.emplace(spec_of(route, problem.batch * problem.m, problem.k), arch);
    at_a_ = fold_a_->layout();
  }
  if (is_rounded_after(problem, route)) {
    rounder_.emplace(rounding(problem, route), DType::f32, arch);
    product_bytes_ =
        static_cast<std::size_t>(round_up(problem.batch * problem.m * problem.n * std::int64_t{sizeof(float)}, 256));
  }
  if (route.base != FoldBase::none) rescuer_.emplace(problem, fold_a_->spec(), fold_w_.spec(), arch);
}

void FoldedGemm::pack_weights(const Operands& operands, std::byte* packed, Stream& stream) {
  fold_w_.fold_weights(operands.w, operands.w_scale, packed, stream);
}

void FoldedGemm::launch(const Operands& operands, Stream& stream) noexcept {
  std::byte* folded_a = operands.workspace;
  std::byte* product = rounder_ ? operands.workspace + at_a_.bytes : operands.c;
  if (fold_a_) fold_a_->launch(operands.a, operands.a_scale, folded_a, stream);
  inner_->launch({.a = fold_a_ ? folded_a + at_a_.values : operands.a,
                  .a_scale = folded_a + at_a_.scales,
                  .w = operands.packed_w + at_w_.values,
                  .w_scale = operands.packed_w + at_w_.scales,
                  .bias = rounder_ ? nullptr : operands.bias,
                  .c = product,
                  .workspace = operands.workspace + at_a_.bytes + product_bytes_},
                 stream);
  if (rounder_) rounder_->launch(product, operands, stream);
  if (rescuer_) rescuer_->launch(operands, folded_a, operands.packed_w, stream);
}

}  // namespace gemmtune::cublaslt
