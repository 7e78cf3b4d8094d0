#include "gemmtune/dispatch/capture/captured_key.h"

namespace gemmtune {

Problem CapturedKey::problem() const noexcept {
  const auto byte = [&](int index) { return static_cast<std::uint8_t>(rest_ >> 8 * index); };
  const auto size = [](std::uint64_t word) { return static_cast<std::int64_t>(word); };
  return {.m = size(m_),
          .n = size(n_),
          .k = size(k_),
          .batch = size(batch_),
          .a = {static_cast<DType>(byte(0)), static_cast<Scaling>(byte(1))},
          .w = {static_cast<DType>(byte(2)), static_cast<Scaling>(byte(3))},
          .out = static_cast<DType>(byte(4)),
          .epilogue = {.bias = byte(5) != 0},
          .packed = byte(6) != 0};
}

}  // namespace gemmtune
