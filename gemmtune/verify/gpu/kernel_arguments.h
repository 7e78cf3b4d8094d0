// What the host hands to the kernels of this folder. Host compilers and run-time compilers take this text.
#pragma once

#include <cstdint>

#include "gemmtune/verify/poison.h"

namespace gemmtune {

enum class ScaleKind : std::int32_t { none, f32, e8m0 };

/// One operand of a problem: `batch` times rows × K, and how its scales are arranged.
struct OperandShape {
  std::int64_t batch{};
  std::int64_t rows{};
  std::int64_t k{};
  std::int64_t row_block{};  // rows and elements along K that share a scale
  std::int64_t k_block{};
  std::int64_t scale_rows{};
  std::int64_t scale_cols{};
  ScaleKind scales{};
  std::int64_t fp8_group{};  // elements of a row that a call quantises to E4M3 with one scale, or 0
};

/// Where an operand is stored.
struct StoredOperand {
  unsigned char* values{};
  unsigned char* scales{};
};

/// Rows to convert to floats: `count` from `first` on, either of the list or, without a list, of the operand.
struct RowChoice {
  const std::int64_t* list{};
  std::int64_t first{};
  std::int64_t count{};
};

/// Floats [rows][stride], zeros from K on.
struct DecodedRows {
  float* values{};
  double* norms{};
  std::int64_t stride{};
};

/// A panel of the reference: A's rows by the weights' rows, of `depth` floats each, a multiple of 16.
struct PanelProduct {
  const float* a{};
  const float* w{};
  const float* bias{};  // of these columns, or null
  double* values{};
  std::int64_t rows{};
  std::int64_t columns{};
  std::int64_t depth{};
  std::int64_t values_stride{};
};

/// Some columns of C (rows of the weights, as floats), to be added up with their weights: `depth` numbers.
struct WeightedColumns {
  const float* columns{};
  const double* weights{};
  double* sum{};  // of `depth`, added to
  std::int64_t count{};
  std::int64_t depth{};
};

/// Rows of A by some vectors, all of `depth` numbers: [rows][vectors].
struct VectorProducts {
  const float* rows{};
  const double* vectors{};
  double* products{};
  std::int64_t vectors_count{};
  std::int64_t depth{};
};

/// C, and what its sums are made with: see RowSums in verify/row_sums.h.
struct SummedOutput {
  const unsigned char* c{};
  const unsigned char* bias{};  // may be null
  const double* addends{};      // of each sum the largest magnitude of the residual there
  const double* weights{};
  const double* row_norms{};
  const double* column_norms{};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t blocks{};
  std::int64_t columns{};  // of a block
};

/// A matrix of a batch as a layout stores it (gemm/matrix_layout.h), in units of `unit_bytes`: elements, or bytes where
/// elements share one.
struct StridedUnits {
  std::int64_t batch{};
  std::int64_t rows{};
  std::int64_t cols{};
  std::int64_t leading_dimension{};
  std::int64_t batch_stride{};
  std::int32_t unit_bytes{};
  std::int32_t transposed{};  // the plain form is [batch, cols, rows]
};

/// C, and what it is compared with: see Reference in verify/reference.h.
struct JudgedOutput {
  const unsigned char* c{};
  const std::int32_t* place{};  // for each row of M its place among the rows that are checked, or -1
  const double* values{};
  const double* row_norms{};
  const double* column_norms{};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t checked_rows{};
  Poison poison{};
};

struct Findings {
  std::uint64_t unwritten{};
  std::uint64_t not_close{};
  std::uint64_t out_of_bound{};
  double worst_error{};
  double worst_share{};
};

}  // namespace gemmtune
