#include "gemmtune/families/mxfp4_stream/stream_family.h"

#include <string>
#include <vector>

#include "gemmtune/core/error.h"

namespace gemmtune::mxfp4_stream {
namespace {

class PreparedStream final : public PreparedGemm {
 public:
  PreparedStream(const Problem& problem, const StreamTile& tile, const DeviceInfo& device)
      : gemm_(problem, tile, device.cu_num) {}

  std::size_t packed_weight_bytes() const override { return gemm_.packed_bytes(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    gemm_.pack(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override { gemm_.launch(operands, stream); }

 private:
  StreamGemm gemm_;
};

class StreamFamily final : public KernelFamily {
 public:
  explicit StreamFamily(Kind kind) : kind_(kind), name_(family_name(kind)) {}

  std::string_view name() const override { return name_; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

  Support supports(const Problem& problem, const DeviceInfo& device) const override {
    return {.why_not = why_unsupported(problem, kind_, device)};
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    const Space space = space_of(problem, kind_, device);
    std::vector<Candidate> candidates;
    // Parts along K stay within a cluster and need no memory: they are not what tables and --splitK call a split.
    for (const auto& point : space.points()) candidates.push_back(space.candidate(name_, point));
    return candidates;
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Candidate& candidate,
                                        const DeviceInfo& device) const override {
    return std::make_unique<PreparedStream>(problem, parsed(problem, candidate, device), device);
  }

  std::vector<KernelSource> kernels(const Problem& problem, const Candidate& candidate,
                                    const DeviceInfo& device) const override {
    const auto tile = parsed(problem, candidate, device);
    return {stream_source(problem, tile), stream_pack_source(tile)};
  }

 private:
  StreamTile parsed(const Problem& problem, const Candidate& candidate, const DeviceInfo& device) const {
    if (const auto why = why_unsupported(problem, kind_, device); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
    const Space space = space_of(problem, kind_, device);
    const auto point = space.parse(candidate.name);
    if (!point) fail(ErrorCode::unsupported, "{} has no kernel '{}'", name_, candidate.name);
    const auto tile = tile_of(*point);
    if (const auto why = why_no_stream(problem, tile); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
    return tile;
  }

  Kind kind_;
  std::string name_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_family(Kind kind) { return std::make_unique<StreamFamily>(kind); }

}  // namespace gemmtune::mxfp4_stream
