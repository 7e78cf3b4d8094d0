// Translates a problem into a call of cuBLASLt: which types, scales, layouts and epilogue the library gets, what is
// left to kernels of gemmtune, and what is refused. It makes no call itself.
//
// The library is column-major: our row-major C [M, N] is its column-major D of N x M. Its first operand is the weights
// (transposed if they are stored [N, K]), and its second is the activations (transposed if they are stored [K, M]).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"

namespace gemmtune::cublaslt {

/// Scales that the library applies itself.
enum class LibraryScales : std::uint8_t { none, tensor, row, block };

/// One of the library's matrices. Its columns are our stored rows. Distances are in elements.
struct LibraryMatrix {
  std::int64_t rows{};
  std::int64_t columns{};
  std::int64_t leading_dimension{};
  std::int64_t batch_stride{};

  auto operator<=>(const LibraryMatrix&) const = default;
};

/// One call of the library's matmul.
struct MatmulSpec {
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  Major w_major{Major::k};
  Major a_major{Major::k};
  LibraryMatrix w{};
  LibraryMatrix a{};
  LibraryMatrix d{};  // of the product, and also of the residual (the library's C)
  DType operand{};    // of both sides
  DType product{};    // the type that the library writes
  LibraryScales scales{};
  Epilogue epilogue{};  // bias and residual are of the product's type
  bool fast_accumulation{};
  std::int64_t alignment{256};  // of every tensor's first byte

  auto operator<=>(const MatmulSpec&) const = default;
};

struct Call {
  MatmulSpec matmul{};
  std::int64_t count{1};         // calls in a launch: one for each matrix of the batch if each has its own scales
  bool finishes{};               // a kernel of gemmtune scales the int32 product and writes C
  bool arranges_a_scales{};      // the library wants 1x128 scales column by column
  bool arranges_w_scales{};      // the library wants rows of 128x128 scales padded to a multiple of 4
  bool has_fast_accumulation{};  // there is a second set of candidates, with fast accumulation

  bool operator==(const Call&) const = default;
};

/// Why the library is not called at all ("e4m3 with bias writes bf16 or fp16"), or "".
std::string why_no_call(const Problem& problem);

/// The call for a problem for which why_no_call() returns "".
Call call_of(const Problem& problem);

/// The number of scales of the weights along K that the library wants: ceil(K/128) rounded up to a multiple of 4.
std::int64_t padded_k_blocks(std::int64_t k);

}  // namespace gemmtune::cublaslt
