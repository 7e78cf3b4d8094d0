// What is multiplied: a plain value with one canonical text.
//
//   C[b,m,n] = activation(sum over k of A[b,m,k] · W[b,n,k]  + bias[n] + residual[b,m,n])
//
// By default A is [batch, M, K], the weights W are [batch, N, K] (as in a torch Linear) and C is [batch, M, N], all
// row-major without gaps. space/candidate.h says which kernel computes it, and gemm/operands.h where its tensors are.
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

/// E4M3 with power-of-two scales: one for each 32 of K in each row, or in 32 rows of weights.
constexpr bool is_mxfp8(const Side& side) noexcept {
  return side.type == DType::e4m3 && (side.scaling == Scaling::mx_1x32 || side.scaling == Scaling::mx_32x32);
}

constexpr bool is_nvfp4(const Side& side) noexcept {
  return side.type == DType::e2m1 && side.scaling == Scaling::nv_1x16;
}
constexpr bool is_q4_0(const Side& side) noexcept {
  return side.type == DType::i4 && side.scaling == Scaling::f16_1x32;
}
constexpr bool is_q8_0(const Side& side) noexcept {
  return side.type == DType::i8 && side.scaling == Scaling::f16_1x32;
}

/// Weights of 4 or 8 bits with a scale for 16 or 32 of K of a row, which floats are multiplied by.
constexpr bool are_block_weights(const Side& w) noexcept {
  return is_mxfp4(w) || is_nvfp4(w) || is_q4_0(w) || is_q8_0(w);
}

/// Floats that each call quantises to int8 in blocks of 32: gemm/q8.h has the rule.
constexpr bool is_q8_in_call(const Side& side) noexcept { return side.scaling == Scaling::q8_in_call; }

/// Floats that each call quantises to E4M3: gemm/fp8_in_call.h has the rule.
constexpr bool is_fp8_in_call(const Side& side) noexcept { return is_fp8_in_call(side.scaling); }

/// What the call makes of such floats, E4M3 with 1x128 scales or with those of rows; any other side as it is.
constexpr Side side_in_call(const Side& side) noexcept {
  if (!is_fp8_in_call(side)) return side;
  return {.type = DType::e4m3, .scaling = side.scaling == Scaling::fp8_1x128 ? Scaling::block_1x128 : Scaling::row};
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
  bool packed{};    // weights may be repacked once, before all calls; otherwise each call gets them as they are
  Layout layout{};  // in the form of canonical_layout(): distances of contiguous tensors are 0

  auto operator<=>(const Problem&) const = default;
};

/// The canonical text: sizes, A, weights, output, then everything that differs from the default. Examples:
///   64x4096x4096:bf16:bf16:bf16
///   64x4096x4096:e2m1/1x32:e2m1/1x32:bf16:packed
///   64x4096x4096:bf16/q8:e2m1/1x32:bf16:packed
///   64x4096x4096:e4m3/1x32:e4m3/32x32:bf16:packed
///   64x4096x4096:bf16/fp8_1x128:e4m3/128x128:bf16
///   64x4096x4096:bf16/fp8_row:e2m1/1x32:bf16:packed
///   16x512x7168:int8/row:int8/row:fp16:batch=16:bias
///   64x4096x11008:bf16:bf16:bf16:nn:lda=16384:bias:gelu_tanh:residual
/// The options come in this order: batch=B; nn, tn or tt; lda=, ldw=, ldc= (leading dimensions); stride_a=, stride_w=,
/// stride_c= (from one matrix of the batch to the next); bias; relu, gelu_tanh, gelu_erf or silu; residual; packed. All
/// distances are in elements. Of nn, tn and tt, the first letter is A's and the second the weights', as in BLAS for
/// row-major matrices: the default nt is A stored [M, K] and weights stored [N, K]; tn has A stored [K, M] and weights
/// stored [K, N].
std::string to_string(const Problem& problem);

/// The options of a problem's text that state its layout ("nn:lda=16384"), and those that state its epilogue except the
/// bias ("gelu_tanh:residual"). The text is "" for the default.
std::string layout_text(const Problem& problem);
std::string epilogue_text(const Problem& problem);

/// Sets what such a text states. Returns false if it is not such a text. The sizes need not be known yet: until
/// canonical_layout(), the distances are those of the text.
[[nodiscard]] bool set_layout(Problem& problem, std::string_view text);
[[nodiscard]] bool set_epilogue(Problem& problem, std::string_view text);

/// Whether A, the weights and C are contiguous and in the default order, and nothing but a bias is added to the
/// product.
inline bool is_plain(const Problem& p) noexcept {
  const Layout& l = p.layout;
  const auto distances = l.a_strides.leading_dimension | l.a_strides.batch | l.w_strides.leading_dimension |
                         l.w_strides.batch | l.c_strides.leading_dimension | l.c_strides.batch;
  const int others = static_cast<int>(l.a) | static_cast<int>(l.w) | static_cast<int>(p.epilogue.activation) |
                     static_cast<int>(p.epilogue.residual);
  return (distances | others) == 0;
}

/// The product that is left of a call which quantises A to E4M3, once A is quantised: [batch, M, K] without gaps. Any
/// other problem as it is.
Problem product_in_call(Problem problem);

/// The problem with f32 scales instead of E8M0 ones for blocks of 128.
Problem with_float_scales(Problem problem);

/// Parses the canonical text, and the shorthand MxNxK:FORMAT with a name of gemm/format.h instead of the three types
/// (64x4096x4096:a4w4). Throws Error{input} that says what was found and what was expected, with the column.
Problem parse_problem(std::string_view text);

/// Why this is not a GEMM that can be computed ("K must be even for e2m1"), or "".
std::string why_invalid(const Problem& problem);

/// The number of operations: 2·M·N·K·batch.
double flops(const Problem& problem);

/// The bytes of A, weights and C by element size, without scales and bias, as AITER's `bw` column counts them.
double operand_bytes(const Problem& problem);

/// The bytes that a kernel must move: the same with scales, bias and residual. Gaps of the layout do not count.
double moved_bytes(const Problem& problem);

/// The values of AITER's columns for a time in microseconds; 0 if the time is not a positive number.
double tflops(const Problem& problem, double time_us);
double bandwidth_gbps(const Problem& problem, double time_us);

}  // namespace gemmtune
