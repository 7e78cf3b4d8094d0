// The bytes of one GEMM: where each tensor starts. On a GPU these are device addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Contiguous, row-major, batch outermost; layouts as in gemm/problem.h and gemm/scaling.h. Absent tensors are null.
struct Operands {
  const std::byte* a{};
  const std::byte* a_scale{};
  const std::byte* w{};
  const std::byte* w_scale{};
  const std::byte* bias{};
  std::byte* c{};
  const std::byte* packed_w{};  // what PreparedGemm::pack_weights wrote
  std::byte* workspace{};
};

/// Bytes of each tensor of a problem; 0 for absent ones.
struct OperandBytes {
  std::int64_t a{};
  std::int64_t a_scale{};
  std::int64_t w{};
  std::int64_t w_scale{};
  std::int64_t bias{};
  std::int64_t c{};

  std::int64_t total() const { return a + a_scale + w + w_scale + bias + c; }
  bool operator==(const OperandBytes&) const = default;
};

OperandBytes operand_sizes(const Problem& problem);

}  // namespace gemmtune
