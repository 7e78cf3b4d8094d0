// A prepared product of a family whose kernel streams W through shared memory (kernels/stream/stream_kernel.h).
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "gemmtune/families/family.h"

namespace gemmtune {

/// `Gemm` has a packer(), which is empty unless the weights are packed, and launch().
template <typename Gemm>
class PreparedStream final : public PreparedGemm {
 public:
  explicit PreparedStream(Gemm gemm) : gemm_(std::move(gemm)) {}

  std::size_t packed_weight_bytes() const override { return gemm_.packer() ? gemm_.packer()->bytes() : 0; }
  std::string packed_layout() const override { return gemm_.packer() ? gemm_.packer()->layout_name() : ""; }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    gemm_.packer()->pack(operands.w, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override { gemm_.launch(operands, stream); }

 private:
  Gemm gemm_;
};

}  // namespace gemmtune
