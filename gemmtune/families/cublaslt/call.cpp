#include "gemmtune/families/cublaslt/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune::cublaslt {
namespace {

constexpr std::int64_t scale_block = 128;

std::int64_t k_blocks(std::int64_t k) { return ceil_div(k, scale_block); }

bool both(const Problem& problem, Scaling scaling) {
  return problem.a.scaling == scaling && problem.w.scaling == scaling;
}

bool block_scaled(const Problem& problem) {
  return problem.a.scaling == Scaling::block_1x128 && problem.w.scaling == Scaling::block_128x128;
}

bool is_float(DType type) { return is_half(type) || type == DType::f32 || type == DType::tf32; }

std::string why_no_float(const Problem& problem) {
  if (!both(problem, Scaling::none))
    return fmt::format("there is no product of scaled {} operands", to_string(problem.a.type));
  const bool writes = problem.out == problem.a.type || problem.out == DType::f32;
  return writes ? ""
                : fmt::format("there is no product of {} operands with {} output", to_string(problem.a.type),
                              to_string(problem.out));
}

bool whole_rows(Scaling scaling) {
  return scaling == Scaling::none || scaling == Scaling::tensor || scaling == Scaling::row;
}

/// The kernel that scales an int32 product writes C, and supports no epilogue other than a bias.
std::string why_no_int8(const Problem& problem) {
  if (!whole_rows(problem.a.scaling) || !whole_rows(problem.w.scaling))
    return "int8 operands need scales per tensor or per row";
  if (!stored_c(problem).is_contiguous()) return "the scaled output of int8 operands must be contiguous";
  const bool bias_at_most = !problem.epilogue.residual && problem.epilogue.activation == Activation::none;
  return bias_at_most ? "" : "the scaled output of int8 operands takes no residual and no activation";
}

/// The library requires scales at multiples of 16 bytes, and the scales of a batch follow each other without gaps.
std::string why_no_batches(const Problem& problem) {
  if (problem.batch == 1 || both(problem, Scaling::none)) return "";
  if (both(problem, Scaling::tensor)) return "there is no batched product with one scale for each matrix";
  const bool aligned = block_scaled(problem) || (problem.m % 4 == 0 && problem.n % 4 == 0);
  return aligned ? "" : "batches with row scales need M % 4 == 0 and N % 4 == 0";
}

std::string why_no_fp8(const Problem& problem) {
  const bool whole = both(problem, Scaling::none) || both(problem, Scaling::tensor) || both(problem, Scaling::row);
  if (!whole && !block_scaled(problem))
    return fmt::format("e4m3 operands need scales tensor x tensor, row x row or 1x128 x 128x128, not {} x {}",
                       to_string(problem.a.scaling), to_string(problem.w.scaling));
  if (problem.epilogue.bias && problem.out == DType::f32)
    return "e4m3 with an f32 output takes a bf16 bias, and biases are of the output's type";
  if (block_scaled(problem) && problem.m % 4 != 0) return "1x128 scales need M % 4 == 0";
  if (auto why = why_no_batches(problem); !why.empty()) return why;
  return problem.k % 16 == 0 ? "" : "e4m3 needs K % 16 == 0";
}

/// The alignment of each batch's tensors, if each batch has a call of its own.
std::int64_t alignment_in_batches(const Problem& problem) {
  std::int64_t alignment = 256;
  for (const auto bytes : {storage_bytes(problem.a.type, stored_a(problem).batch_stride),
                           storage_bytes(problem.w.type, stored_w(problem).batch_stride),
                           storage_bytes(problem.out, stored_c(problem).batch_stride)})
    alignment = std::gcd(alignment, bytes);
  return alignment;
}

LibraryMatrix library_matrix(const StoredMatrix& m) {
  return {.rows = m.cols, .columns = m.rows, .leading_dimension = m.leading_dimension, .batch_stride = m.batch_stride};
}

LibraryScales scales_of(const Problem& problem) {
  if (problem.a.type != DType::e4m3) return LibraryScales::none;
  if (block_scaled(problem)) return LibraryScales::block;
  if (both(problem, Scaling::row)) return LibraryScales::row;
  return both(problem, Scaling::tensor) ? LibraryScales::tensor : LibraryScales::none;
}

}  // namespace

std::int64_t padded_k_blocks(std::int64_t k) { return round_up(k_blocks(k), 4); }

std::string why_no_call(const Problem& problem) {
  if (problem.a.type != problem.w.type)
    return fmt::format("{} x {} is not multiplied", to_string(problem.a.type), to_string(problem.w.type));
  if (!is_output(problem.out)) return fmt::format("outputs of {} are not offered", to_string(problem.out));
  if (std::max({problem.m, problem.n, problem.k}) > INT32_MAX) return "sizes are 32 bits wide";
  if (is_float(problem.a.type)) return why_no_float(problem);
  if (problem.a.type == DType::i8) return why_no_int8(problem);
  if (problem.a.type == DType::e4m3) return why_no_fp8(problem);
  return fmt::format("{} is not multiplied", to_string(problem.a.type));
}

Call call_of(const Problem& problem) {
  const auto scales = scales_of(problem);
  const bool int8 = problem.a.type == DType::i8;
  const bool one_for_each_batch = scales != LibraryScales::none && problem.batch > 1;
  const bool block = scales == LibraryScales::block;
  return {.matmul = {.m = problem.m,
                     .n = problem.n,
                     .k = problem.k,
                     .batch = one_for_each_batch ? 1 : problem.batch,
                     .w_major = problem.layout.w,
                     .a_major = problem.layout.a,
                     .w = library_matrix(stored_w(problem)),
                     .a = library_matrix(stored_a(problem)),
                     .d = library_matrix(stored_c(problem)),
                     .operand = problem.a.type,
                     .product = int8 ? DType::i32 : problem.out,
                     .scales = scales,
                     .epilogue = int8 ? Epilogue{} : problem.epilogue,
                     .alignment = one_for_each_batch ? alignment_in_batches(problem) : 256},
          .count = one_for_each_batch ? problem.batch : 1,
          .finishes = int8,
          .arranges_a_scales = block && k_blocks(problem.k) > 1,
          .arranges_w_scales = block && padded_k_blocks(problem.k) != k_blocks(problem.k),
          .has_fast_accumulation = problem.a.type == DType::e4m3 && !block};
}

}  // namespace gemmtune::cublaslt
