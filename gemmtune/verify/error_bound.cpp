#include "gemmtune/verify/error_bound.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/mxfp8_fold.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {
namespace {

// The relative resolution of Hopper's tensor cores for products, relative to the largest term of a sum.
constexpr double fp8_unit = 0x1p-13;
constexpr double half_unit = 0x1p-25;  // of 16 bits and of TF32
constexpr double float_unit = 0x1p-24;
constexpr std::int64_t scale_block = 128;

/// Sums are made in float, with rounding to nearest: tensor cores do not take floats as they are, nor int8 with scales
/// for 32 of K.
bool is_summed_as_float(const Problem& problem) {
  return problem.a.type == DType::f32 || problem.w.type == DType::f32 || is_q8_in_call(problem.a);
}

bool is_multiplied_as_fp8(const Side& side) { return side.type == DType::e4m3 || side.type == DType::e2m1; }

bool is_multiplied_as_half(const Side& side) {
  return is_half(side.type) || side.type == DType::tf32 || is_multiplied_as_fp8(side);
}

/// What kernels may lose that fold E8M0 scales (gemm/mxfp8_fold.h): of A into one scale for each 128 of K, of
/// the weights into one for each row. Relative to the norm of a row.
double folding_error(const Problem& problem) {
  return (is_mxfp8(problem.a) ? mxfp8_fold_bound_of_a : 0) + (is_mxfp8(problem.w) ? mxfp8_fold_bound_of_w : 0);
}

/// How many products a tensor core may add before the sum is moved to float: all of K, unless scales change on the
/// way.
std::int64_t fp8_run(const Problem& problem) {
  const bool blocks =
      problem.a.scaling == Scaling::block_1x128 || problem.w.scaling == Scaling::block_128x128 || is_mxfp8(problem.a);
  return blocks ? std::min(problem.k, scale_block) : problem.k;
}

/// The steepest slope of an activation, rounded up, and the error of fast ways to compute it. PTX's tanh.approx is
/// off by up to 2^-11 of the result, half of which reaches GELU; a sigmoid computed through it is off by as much.
/// Polynomials for erf are off by up to 2^-22.
struct ActivationError {
  double slope{1};
  double per_argument{};
};

ActivationError error_of(Activation activation) {
  switch (activation) {
    case Activation::gelu_tanh:
      return {.slope = 1.13, .per_argument = 0x1p-12};
    case Activation::gelu_erf:
      return {.slope = 1.13, .per_argument = 0x1p-20};
    case Activation::silu:
      return {.slope = 1.1, .per_argument = 0x1p-12};
    default:
      return {};
  }
}

ErrorBound rounding_of(DType type) {
  if (type == DType::f32) return {.eps = 0x1p-23, .smallest_normal = 0x1p-126};
  if (type == DType::f16) return {.eps = 0x1p-10, .smallest_normal = 0x1p-14};
  if (type == DType::bf16) return {.eps = 0x1p-7, .smallest_normal = 0x1p-126};
  fail(ErrorCode::unsupported, "no rule for outputs of type {}", to_string(type));
}

}  // namespace

ErrorBound error_bound_of(const Problem& asked) {
  // The rule of quantising in the call is exact, and so are scales as floats: the bound is that of what is multiplied.
  const Problem problem = with_float_scales(product_in_call(asked));
  ErrorBound bound = rounding_of(problem.out);
  const double accumulation = 4 * float_unit * std::sqrt(static_cast<double>(problem.k));
  bound.per_norm = accumulation;
  if (is_summed_as_float(problem)) {
    bound.per_norm = 4 * float_unit;
    bound.per_sum = accumulation;
  } else if (is_multiplied_as_fp8(problem.a) && is_multiplied_as_fp8(problem.w)) {
    bound.per_norm += 2 * fp8_unit;
    bound.per_folding = folding_error(problem);
    bound.per_square = fp8_unit / 2 * static_cast<double>(fp8_run(problem));
  } else if (is_multiplied_as_half(problem.a) && is_multiplied_as_half(problem.w)) {
    bound.per_square = half_unit / 2 * static_cast<double>(problem.k);
  }
  const auto [slope, per_argument] = error_of(problem.epilogue.activation);
  bound.slope = slope;
  bound.per_argument = per_argument;
  bound.activation = problem.epilogue.activation;
  return bound;
}

}  // namespace gemmtune
