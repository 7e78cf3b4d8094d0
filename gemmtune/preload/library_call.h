// A matrix multiplication as a program asks cuBLAS for it, read into plain values. In the library's own terms:
// column-major, D = op(A)·op(B). call_problem.h says which of gemmtune's problems it is.
#pragma once

#include <compare>
#include <cstdint>

namespace gemmtune::preload {

/// A matrix of the library. Its columns are gemmtune's rows.
struct CallMatrix {
  std::int32_t type{};   // cudaDataType
  std::int32_t order{};  // cublasLtOrder_t
  std::int64_t rows{};
  std::int64_t columns{};
  std::int64_t leading_dimension{};
  std::int32_t batch{1};
  std::int64_t batch_stride{};

  auto operator<=>(const CallMatrix&) const = default;
};

struct LibraryCall {
  std::int32_t compute{};  // cublasComputeType_t
  std::int32_t scale_type{};
  std::int32_t a_operation{};  // cublasOperation_t
  std::int32_t b_operation{};
  std::uint32_t epilogue{};  // cublasLtEpilogue_t
  std::int32_t bias_type{};  // cudaDataType; -1: D's
  bool fast_accumulation{};
  bool has_a_scale{};
  bool has_b_scale{};
  std::int32_t a_scale_mode{};
  std::int32_t b_scale_mode{};
  bool adds_c{};      // beta is 1
  bool is_unusual{};  // it has a part that gemmtune has no word for
  CallMatrix a{};
  CallMatrix b{};
  CallMatrix c{};
  CallMatrix d{};

  auto operator<=>(const LibraryCall&) const = default;
};

}  // namespace gemmtune::preload
