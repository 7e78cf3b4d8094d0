#include "gemmtune/families/cublaslt/prepared_call.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/enumeration.h"
#include "gemmtune/families/cublaslt/matmul.h"
#include "gemmtune/families/cublaslt/scale_kernels.h"

namespace gemmtune::cublaslt {
namespace {

/// A piece of the workspace, aligned like the library's own.
struct Piece {
  std::size_t offset{};
  std::size_t bytes{};

  std::byte* in(std::byte* workspace) const { return bytes > 0 ? workspace + offset : nullptr; }
  std::size_t end() const { return (offset + bytes + 255) / 256 * 256; }
};

MatmulSpec spec_of(const Call& call, const KernelName& name) {
  MatmulSpec spec = call.matmul;
  spec.fast_accumulation = name.fast_accumulation;
  return spec;
}

/// A default candidate runs with the library's own structure if the library's first choice still has the name's
/// settings.
cublasLtMatmulAlgo_t algo_for(const Matmul& matmul, const KernelName& name, std::int64_t version) {
  if (name.is_default) {
    const auto first = matmul.ranked_algos({.workspace_bytes = default_workspace_bytes, .most = 1});
    if (!first.empty() && matmul.config_of(first.front()) == name.config) return first.front();
  }
  if (const auto algo = matmul.algo_of(name.config)) return *algo;
  fail(ErrorCode::unsupported, "cuBLASLt {} has no algorithm with the settings of {}{}", version_text(version),
       to_string(name), name.version == version ? "" : ", which is of version " + version_text(name.version));
}

Accepted accepted_by(const Matmul& matmul, const cublasLtMatmulAlgo_t& algo, const KernelName& name,
                     std::int64_t version) {
  const auto accepted = matmul.check(algo);
  const auto most = static_cast<std::size_t>(name.workspace_mib) << 20;
  if (accepted && accepted->workspace_bytes <= most) return *accepted;
  const auto why = accepted ? fmt::format("it needs {} bytes of workspace", accepted->workspace_bytes)
                            : std::string("cublasLtMatmulAlgoCheck turns it down");
  fail(ErrorCode::unsupported, "cuBLASLt {} does not take {} for this problem: {}{}", version_text(version),
       to_string(name), why, name.version == version ? "" : "; the name is from version " + version_text(name.version));
}

class PreparedCall final : public PreparedGemm {
 public:
  PreparedCall(std::shared_ptr<const Session> session, const Problem& problem, const KernelName& name,
               const DeviceInfo& device)
      : problem_(problem),
        call_(call_of(problem)),
        matmul_(session, spec_of(call_, name)),
        algo_(algo_for(matmul_, name, session->library().version())) {
    const auto accepted = accepted_by(matmul_, algo_, name, session->library().version());
    if (call_.finishes) scaler_.emplace(problem, DType::i32, device.arch);
    if (call_.arranges_a_scales || call_.arranges_w_scales)
      arranger_.emplace(problem, ScaleArranger::Wanted{call_.arranges_a_scales, call_.arranges_w_scales}, device.arch);
    if (call_.finishes) product_ = next_piece(problem.batch * problem.m * problem.n * 4);
    if (arranger_) a_scale_ = next_piece(arranger_->a_bytes());
    if (arranger_) w_scale_ = next_piece(arranger_->w_bytes());
    library_workspace_ = next_piece(accepted.workspace_bytes);
  }

  std::size_t workspace_bytes() const override { return workspace_end_; }

  /// One scale for a whole tensor is a plain float.
  AddressAlignment alignment() const override {
    const bool plain = call_.matmul.scales == LibraryScales::none || call_.matmul.scales == LibraryScales::tensor;
    return {.tensors = matmul_.alignment_of(algo_), .scales = plain ? sizeof(float) : 16};
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    if (arranger_)
      arranger_->launch(operands, a_scale_.in(operands.workspace), w_scale_.in(operands.workspace), stream);
    for (std::int64_t batch = 0; batch < call_.count; ++batch) {
      const char* why = matmul_.launch(addresses(operands, batch), algo_, library_workspace_.bytes,
                                       static_cast<cudaStream_t>(stream.native_handle()));
      if (*why != '\0') return stream.report_failure(why);
    }
    if (scaler_) scaler_->launch(product_.in(operands.workspace), operands, stream);
  }

 private:
  Piece next_piece(std::size_t bytes) {
    const Piece piece{workspace_end_, bytes};
    workspace_end_ = piece.end();
    return piece;
  }
  Piece next_piece(std::int64_t bytes) { return next_piece(static_cast<std::size_t>(bytes)); }

  /// The address of one batch's part of a tensor; null stays null.
  template <typename Byte>
  Byte* part(Byte* tensor, std::int64_t bytes_apart, std::int64_t batch) const noexcept {
    return tensor == nullptr ? nullptr : tensor + batch * bytes_apart;
  }

  std::int64_t scale_bytes(const Side& side, std::int64_t rows) const noexcept {
    return scale_grid(side.scaling, rows, problem_.k).count() * static_cast<std::int64_t>(sizeof(float));
  }

  const std::byte* a_scale(const Operands& operands, std::int64_t batch) const noexcept {
    const std::byte* scales = call_.arranges_a_scales ? a_scale_.in(operands.workspace) : operands.a_scale;
    return part(scales, scale_bytes(problem_.a, problem_.m), batch);
  }

  const std::byte* w_scale(const Operands& operands, std::int64_t batch) const noexcept {
    if (!call_.arranges_w_scales) return part(operands.w_scale, scale_bytes(problem_.w, problem_.n), batch);
    const std::byte* arranged = w_scale_.in(operands.workspace);
    return part(arranged, static_cast<std::int64_t>(w_scale_.bytes) / call_.count, batch);
  }

  Addresses addresses(const Operands& operands, std::int64_t batch) const noexcept {
    const auto apart = [](const StoredMatrix& m) { return storage_bytes(m.type, m.batch_stride); };
    const std::int64_t c_apart = apart(stored_c(problem_));
    return {.a = part(operands.a, apart(stored_a(problem_)), batch),
            .a_scale = a_scale(operands, batch),
            .w = part(operands.w, apart(stored_w(problem_)), batch),
            .w_scale = w_scale(operands, batch),
            .bias = operands.bias,
            .residual = part(operands.residual, c_apart, batch),
            .product = scaler_ ? product_.in(operands.workspace) : part(operands.c, c_apart, batch),
            .workspace = library_workspace_.in(operands.workspace)};
  }

  Problem problem_;
  Call call_;
  Matmul matmul_;
  cublasLtMatmulAlgo_t algo_{};
  std::optional<ScaleArranger> arranger_;
  std::optional<ProductScaler> scaler_;
  Piece product_;
  Piece a_scale_;
  Piece w_scale_;
  Piece library_workspace_;
  std::size_t workspace_end_{};
};

}  // namespace

std::unique_ptr<PreparedGemm> prepare_call(std::shared_ptr<const Session> session, const Problem& problem,
                                           const KernelName& name, const DeviceInfo& device) {
  return std::make_unique<PreparedCall>(std::move(session), problem, name, device);
}

}  // namespace gemmtune::cublaslt
