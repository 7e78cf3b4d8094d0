// The inner loops of conversions, compiled with and without AVX2. The right one is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/epilogue.h"

namespace gemmtune::onednn {

/// Stored elements of a row that share a scale.
struct Run {
  DType type{};  // for e2m1, `count` must be even; otherwise the last nibble is not written
  const std::byte* from{};
  std::int64_t count{};
  float scale{};
  std::byte* to{};
};

/// One row of C from its product.
struct FinishRow {
  const std::byte* product{};
  std::byte* c{};
  const std::byte* bias{};      // null if there is none
  const std::byte* residual{};  // null if there is none
  const float* w_scale{};       // null if there are none
  std::int64_t w_step{};        // 1: one for each column; 0: one for all
  float a_scale{1.0F};
  Activation activation{Activation::none};
  std::int64_t n{};
};

using ConvertRun = void (*)(const Run&, DType to);
using FinishColumns = void (*)(const FinishRow&, DType product, DType out);

/// The loops that suit this CPU.
ConvertRun pick_convert_run();
FinishColumns pick_finish_columns();

}  // namespace gemmtune::onednn
