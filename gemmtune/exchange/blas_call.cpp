#include "gemmtune/exchange/blas_call.h"

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// Of a matrix with one stored column nothing lies behind it: programs write any number there.
std::int64_t distance(std::int64_t leading_dimension, std::int64_t columns) {
  return columns == 1 ? 0 : leading_dimension;
}

}  // namespace

Problem problem_of(const BlasCall& call) {
  Problem problem{.m = call.n,
                  .n = call.m,
                  .k = call.k,
                  .batch = call.batch,
                  .a = call.b,
                  .w = call.a,
                  .out = call.out,
                  .epilogue = call.epilogue};
  // What BLAS does not transpose is contiguous along its first size.
  problem.layout = {.a = call.transpose_b ? Major::mn : Major::k,
                    .w = call.transpose_a ? Major::k : Major::mn,
                    .a_strides = {.leading_dimension = distance(call.ldb, call.transpose_b ? call.k : call.n),
                                  .batch = call.stride_b},
                    .w_strides = {.leading_dimension = distance(call.lda, call.transpose_a ? call.m : call.k),
                                  .batch = call.stride_a},
                    .c_strides = {.leading_dimension = distance(call.ldc, call.n), .batch = call.stride_c}};
  if (call.batch <= 1)
    problem.layout.a_strides.batch = problem.layout.w_strides.batch = problem.layout.c_strides.batch = 0;
  // First of all, since what follows computes with the sizes.
  if (const auto why = why_invalid(problem); !why.empty()) fail(ErrorCode::input, "{}", why);
  problem.layout = canonical_layout(problem);
  return problem;
}

BlasCall blas_call_of(const Problem& problem) {
  const auto w = stored_w(problem);
  const auto a = stored_a(problem);
  const auto c = stored_c(problem);
  return {.transpose_a = problem.layout.w == Major::k,
          .transpose_b = problem.layout.a == Major::mn,
          .m = problem.n,
          .n = problem.m,
          .k = problem.k,
          .batch = problem.batch,
          .lda = w.leading_dimension,
          .ldb = a.leading_dimension,
          .ldc = c.leading_dimension,
          .stride_a = w.batch_stride,
          .stride_b = a.batch_stride,
          .stride_c = c.batch_stride,
          .a = problem.w,
          .b = problem.a,
          .out = problem.out,
          .epilogue = problem.epilogue};
}

}  // namespace gemmtune
