// The memory of one GEMM: where each tensor starts. On a GPU these are device addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Tensors are stored as the problem's layout says (gemm/matrix_layout.h), and scales row-major without gaps
/// (gemm/scaling.h). The batch is the outermost dimension. Tensors that the problem does not have are null.
struct Operands {
  const std::byte* a{};
  const std::byte* a_scale{};
  const std::byte* w{};
  const std::byte* w_scale{};
  const std::byte* bias{};
  const std::byte* residual{};  // stored like C, but not C itself
  std::byte* c{};
  const std::byte* packed_w{};  // the weights as PreparedGemm::pack_weights wrote them
  std::byte* workspace{};
};

/// The number of bytes from the first element of each tensor to its last, including gaps of the layout; 0 for tensors
/// that the problem does not have.
struct OperandBytes {
  std::int64_t a{};
  std::int64_t a_scale{};
  std::int64_t w{};
  std::int64_t w_scale{};
  std::int64_t bias{};
  std::int64_t residual{};
  std::int64_t c{};

  std::int64_t total() const { return a + a_scale + w + w_scale + bias + residual + c; }
  bool operator==(const OperandBytes&) const = default;
};

OperandBytes operand_sizes(const Problem& problem);

}  // namespace gemmtune
