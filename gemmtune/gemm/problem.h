// What is multiplied: a plain value with one canonical text.
//
//   C[b,m,n] = activation(sum over k of A[b,m,k] · W[b,n,k]  + bias[n] + residual[b,m,n])
//
// By default A is [batch, M, K], the weights W are [batch, N, K] (as a torch Linear keeps them), C is [batch, M, N];
// all row-major without gaps. Not: which kernel computes it (space/candidate.h), nor the bytes (gemm/operands.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/epilogue.h"
#include "gemmtune/gemm/matrix_layout.h"
#include "gemmtune/gemm/scaling.h"

namespace gemmtune {

/// Numeric format of one operand.
struct Side {
  DType type{DType::bf16};
  Scaling scaling{Scaling::none};

  auto operator<=>(const Side&) const = default;
};

constexpr bool is_mxfp4(const Side& side) noexcept {
  return side.type == DType::e2m1 && side.scaling == Scaling::mx_1x32;
}

struct Problem {
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  Side a{};
  Side w{};
  DType out{DType::bf16};
  Epilogue epilogue{};
  bool packed{};    // weights may be repacked once, ahead of all calls; otherwise each call finds them as they are
  Layout layout{};  // as canonical_layout() gives it: distances of contiguous tensors are 0

  auto operator<=>(const Problem&) const = default;
};

/// The canonical text: sizes, A, weights, output, then what differs from the default, e.g.
///   64x4096x4096:bf16:bf16:bf16
///   64x4096x4096:e2m1/1x32:e2m1/1x32:bf16:packed
///   16x512x7168:int8/row:int8/row:fp16:batch=16:bias
///   64x4096x11008:bf16:bf16:bf16:nn:lda=16384:bias:gelu_tanh:residual
/// The options, in this order: batch=B; nn, tn or tt (the first letter is A's, the second the weights', as BLAS has
/// them for row-major matrices: the default nt is A stored [M, K] and weights stored [N, K]; tn has A stored [K, M] and
/// weights stored [K, N]); lda=, ldw=, ldc= (leading dimensions) and stride_a=, stride_w=, stride_c= (from one matrix
/// of the batch to the next), all in elements; bias; relu, gelu_tanh, gelu_erf or silu; residual; packed.
std::string to_string(const Problem& problem);

/// Parses the canonical text, and the shorthand MxNxK:FORMAT with a name of gemm/format.h instead of the three types
/// (64x4096x4096:a4w4). Throws Error{input} that says what was found and what was expected, with the column.
Problem parse_problem(std::string_view text);

/// Why this is not a GEMM that anyone can run ("K must be even for e2m1"), or "".
std::string why_invalid(const Problem& problem);

/// 2·M·N·K·batch.
double flops(const Problem& problem);

/// Bytes of A, weights and C by element size, as AITER's `bw` column counts them: without scales and bias.
double operand_bytes(const Problem& problem);

/// The same with scales, bias and residual: what a kernel must really move. Gaps of the layout are not counted.
double moved_bytes(const Problem& problem);

/// AITER's columns, from a time in microseconds (0 where the time is not a positive number).
double tflops(const Problem& problem, double time_us);
double bandwidth_gbps(const Problem& problem, double time_us);

}  // namespace gemmtune
