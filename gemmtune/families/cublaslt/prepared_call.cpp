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

/// Bytes from one batch's part of each tensor to the next.
struct Distances {
  std::int64_t a{};
  std::int64_t a_scale{};
  std::int64_t w{};
  std::int64_t w_scale{};
  std::int64_t c{};
};

std::int64_t batch_bytes(const StoredMatrix& m) { return storage_bytes(m.type, m.batch_stride); }

std::int64_t scale_bytes(const Side& side, std::int64_t rows, std::int64_t k) {
  return scale_grid(side.scaling, rows, k).count() * static_cast<std::int64_t>(sizeof(float));
}

Distances distances_of(const Problem& problem) {
  return {.a = batch_bytes(stored_a(problem)),
          .a_scale = scale_bytes(problem.a, problem.m, problem.k),
          .w = batch_bytes(stored_w(problem)),
          .w_scale = scale_bytes(problem.w, problem.n, problem.k),
          .c = batch_bytes(stored_c(problem))};
}

/// A launch computes nothing that follows from the problem: between two launches the host has done other work, and what
/// is read here has left its caches.
class PreparedCall final : public PreparedGemm {
 public:
  PreparedCall(std::shared_ptr<const Session> session, const Problem& problem, const KernelName& name,
               const DeviceInfo& device)
      : PreparedCall(std::move(session), problem, call_of(problem), name, device) {}

  std::size_t workspace_bytes() const override { return workspace_end_; }

  /// One scale for a whole tensor is a plain float.
  AddressAlignment alignment() const override {
    const bool plain = scales_ == LibraryScales::none || scales_ == LibraryScales::tensor;
    return {.tensors = matmul_.alignment_of(algo_), .scales = plain ? sizeof(float) : 16};
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto native = static_cast<cudaStream_t>(stream.native_handle());
    if (!is_single_)
      launch_parts(operands, stream, native);
    else if (const char* why = matmul_.launch(plain_addresses(operands), algo_, library_workspace_.bytes, native);
             *why != '\0')
      stream.report_failure(why);
  }

 private:
  PreparedCall(std::shared_ptr<const Session> session, const Problem& problem, const Call& call, const KernelName& name,
               const DeviceInfo& device)
      : matmul_(session, spec_of(call, name)),
        count_(call.count),
        arranges_a_scales_(call.arranges_a_scales),
        arranges_w_scales_(call.arranges_w_scales),
        scales_(call.matmul.scales),
        apart_(distances_of(problem)) {
    algo_ = algo_for(matmul_, name, session->library().version());
    const auto accepted = accepted_by(matmul_, algo_, name, session->library().version());
    if (call.finishes) scaler_.emplace(problem, DType::i32, device.arch);
    if (call.arranges_a_scales || call.arranges_w_scales)
      arranger_.emplace(problem, ScaleArranger::Wanted{call.arranges_a_scales, call.arranges_w_scales}, device.arch);
    if (call.finishes) product_ = next_piece(problem.batch * problem.m * problem.n * 4);
    if (arranger_) a_scale_ = next_piece(arranger_->a_bytes());
    if (arranger_) w_scale_ = next_piece(arranger_->w_bytes());
    library_workspace_ = next_piece(accepted.workspace_bytes);
    if (arranges_w_scales_) apart_.w_scale = static_cast<std::int64_t>(w_scale_.bytes) / count_;
    is_single_ = count_ == 1 && !scaler_ && !arranger_;
  }

  Piece next_piece(std::size_t bytes) {
    const Piece piece{workspace_end_, bytes};
    workspace_end_ = piece.end();
    return piece;
  }
  Piece next_piece(std::int64_t bytes) { return next_piece(static_cast<std::size_t>(bytes)); }

  /// Of a call that takes everything as the problem has it.
  Addresses plain_addresses(const Operands& operands) const noexcept {
    return {.a = operands.a,
            .a_scale = operands.a_scale,
            .w = operands.w,
            .w_scale = operands.w_scale,
            .bias = operands.bias,
            .residual = operands.residual,
            .product = operands.c,
            .workspace = library_workspace_.in(operands.workspace)};
  }

  /// Several calls, or kernels of gemmtune before and after them.
  void launch_parts(const Operands& operands, Stream& stream, cudaStream_t native) noexcept {
    if (arranger_)
      arranger_->launch(operands, a_scale_.in(operands.workspace), w_scale_.in(operands.workspace), stream);
    for (std::int64_t batch = 0; batch < count_; ++batch) {
      const char* why = matmul_.launch(addresses(operands, batch), algo_, library_workspace_.bytes, native);
      if (*why != '\0') return stream.report_failure(why);
    }
    if (scaler_) scaler_->launch(product_.in(operands.workspace), operands, stream);
  }

  /// The address of one batch's part of a tensor; null stays null.
  template <typename Byte>
  static Byte* part(Byte* tensor, std::int64_t bytes_apart, std::int64_t batch) noexcept {
    return tensor == nullptr ? nullptr : tensor + batch * bytes_apart;
  }

  Addresses addresses(const Operands& operands, std::int64_t batch) const noexcept {
    auto at = plain_addresses(operands);
    if (arranges_a_scales_) at.a_scale = a_scale_.in(operands.workspace);
    if (arranges_w_scales_) at.w_scale = w_scale_.in(operands.workspace);
    if (scaler_) at.product = product_.in(operands.workspace);
    at.a = part(at.a, apart_.a, batch);
    at.a_scale = part(at.a_scale, apart_.a_scale, batch);
    at.w = part(at.w, apart_.w, batch);
    at.w_scale = part(at.w_scale, apart_.w_scale, batch);
    at.residual = part(at.residual, apart_.c, batch);
    at.product = part(at.product, apart_.c, batch);
    return at;
  }

  // These and the first members of the matmul are all that a launch of a single call reads.
  bool is_single_{};
  Piece library_workspace_;
  cublasLtMatmulAlgo_t algo_{};
  Matmul matmul_;

  std::int64_t count_{};  // of calls in a launch
  bool arranges_a_scales_{};
  bool arranges_w_scales_{};
  LibraryScales scales_{};
  Distances apart_;
  std::optional<ScaleArranger> arranger_;
  std::optional<ProductScaler> scaler_;
  Piece product_;
  Piece a_scale_;
  Piece w_scale_;
  std::size_t workspace_end_{};
};

}  // namespace

std::unique_ptr<PreparedGemm> prepare_call(std::shared_ptr<const Session> session, const Problem& problem,
                                           const KernelName& name, const DeviceInfo& device) {
  return std::make_unique<PreparedCall>(std::move(session), problem, name, device);
}

}  // namespace gemmtune::cublaslt
