// What is multiplied: a plain value with one canonical text.
//
//   C[b,m,n] = sum over k of A[b,m,k] · W[b,n,k]  (+ bias[n])
//
// A is [batch, M, K], the weights W are [batch, N, K] (as a torch Linear keeps them), C is [batch, M, N]; all
// row-major. Not: which kernel computes it (space/candidate.h), nor the bytes (gemm/operands.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/scaling.h"

namespace gemmtune {

/// Numeric format of one operand.
struct Side {
  DType type{DType::bf16};
  Scaling scaling{Scaling::none};

  auto operator<=>(const Side&) const = default;
};

struct Problem {
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  Side a{};
  Side w{};
  DType out{DType::bf16};
  bool bias{};    // [N] in the output's type, added before rounding to it
  bool packed{};  // weights may be repacked once, ahead of all calls; otherwise each call finds them as they are

  auto operator<=>(const Problem&) const = default;
};

/// The canonical text: sizes, A, weights, output, then what differs from the default, e.g.
///   64x4096x4096:bf16:bf16:bf16
///   64x4096x4096:e2m1/1x32:e2m1/1x32:bf16:packed
///   16x512x7168:int8/row:int8/row:fp16:batch=16:bias
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

/// The same with scales and bias: what a kernel must really move.
double moved_bytes(const Problem& problem);

/// AITER's columns, from a time in microseconds (0 where the time is not a positive number).
double tflops(const Problem& problem, double time_us);
double bandwidth_gbps(const Problem& problem, double time_us);

}  // namespace gemmtune
