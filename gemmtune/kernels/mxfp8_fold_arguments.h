// What the host gives to the kernels in mxfp8_fold.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/mxfp8_fold_rules.h"

namespace gemmtune {

struct Mxfp8ActivationArguments {
  const unsigned char* values{};  // [rows][k], 16 bytes of which a thread folds
  const unsigned char* e8m0{};    // [rows][k / 32]
  unsigned char* folded{};        // [rows][k]
  float* scales{};                // [rows][k / 128]
  std::int64_t units{};           // of 16 bytes, of all rows
};

struct Mxfp8WeightArguments {
  const unsigned char* values{};  // [batch][n][k]
  const unsigned char* e8m0{};    // [batch][⌈n / rows_of_scale⌉][k / 32]
  unsigned char* folded{};        // see Mxfp8WeightLayout
  float* scales{};                // [batch][n]
  Mxfp8RowChange* changes{};      // [batch][n]
  std::int64_t k{};
  std::int32_t n{};
  std::int32_t stored_rows{};    // of a matrix: n, or more that are zeros
  std::int32_t rows_of_scale{};  // 1 or 32
  std::int32_t in_bricks{};
};

}  // namespace gemmtune
