// What mxfp4_skinny and mxfp4_fused have in common: how spaces become candidates and candidates kernels. Each says
// itself which problems it takes, how they may be cut up, and what multiplies.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/space/space.h"

namespace gemmtune::mxfp4_stream {

class StreamFamily : public KernelFamily {
 public:
  std::string version() const final { return "2"; }
  DeviceKind runs_on() const final { return DeviceKind::cuda; }
  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const final;
  std::vector<KernelSource> kernels(const Problem& problem, const Candidate& candidate,
                                    const DeviceInfo& device) const final;

 private:
  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const final;
  virtual Space space(const Problem& problem, const DeviceInfo& device) const = 0;
  /// "" when there is a kernel for the point.
  virtual std::string why_no_kernel(const Problem& problem, const Point& point) const = 0;
  virtual std::unique_ptr<PreparedGemm> prepared(const Problem& problem, const Point& point,
                                                 const DeviceInfo& device) const = 0;
  virtual std::vector<KernelSource> sources(const Problem& problem, const Point& point) const = 0;

  /// Throws where why_not() says something.
  Space usable_space(const Problem& problem, const DeviceInfo& device) const;
  /// The point lives as long as the space.
  Point parsed(const Problem& problem, const Candidate& candidate, const Space& all) const;
};

/// Around a product of kernels/stream.h or kernels/stream_folded.h.
template <typename Gemm>
class PreparedStream final : public PreparedGemm {
 public:
  explicit PreparedStream(Gemm gemm) : gemm_(std::move(gemm)) {}

  std::size_t packed_weight_bytes() const override { return gemm_.packer().bytes(); }
  std::size_t workspace_bytes() const override {
    if constexpr (requires { gemm_.workspace_bytes(); }) return gemm_.workspace_bytes();
    return 0;
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    gemm_.packer().pack(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override { gemm_.launch(operands, stream); }

 private:
  Gemm gemm_;
};

}  // namespace gemmtune::mxfp4_stream
