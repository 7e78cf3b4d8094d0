#include "gemmtune/kernels/rescue.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec_name.h"
#include "gemmtune/kernels/fold_words.h"
#include "gemmtune/kernels/rescue_arguments.h"

namespace gemmtune {

// CMake writes this function.
KernelSource rescue_kernel();

namespace {

constexpr unsigned grid = 264;  // two blocks on each multiprocessor of a H100; any number is right

const unsigned char* bytes(const std::byte* from) { return reinterpret_cast<const unsigned char*>(from); }

}  // namespace

KernelSource rescue_source(const Problem& problem, const FoldSpec& weights, const std::string& arch) {
  if (weights.type == FoldType::bf16 || weights.base == FoldBase::none)
    fail(ErrorCode::unsupported, "there is no rescue for weights folded to {}", fold_word(weights.type));
  auto source = rescue_kernel();
  source.name = fmt::format("rescue_{}_{}.cu", fold_word(weights.type), fold_word(weights.base));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    fmt::format("-DW_TYPE={}", fold_word(weights.type)),
                    fmt::format("-DW_BASE={}", fold_word(weights.base)),
                    fmt::format("-DOUT={}", codec_name(problem.out)),
                    fmt::format("-DHAS_BIAS={}", problem.epilogue.bias)};
  return source;
}

Rescuer::Rescuer(const Problem& problem, const FoldSpec& activations, const FoldSpec& weights, const std::string& arch)
    : problem_(problem),
      activations_(fold_layout(activations)),
      weights_(fold_layout(weights)),
      module_(compile_kernel(rescue_source(problem, weights, arch))),
      function_(module_.function("rescue", rescue_shared_bytes)) {}

void Rescuer::launch(const Operands& operands, const std::byte* folded_a, const std::byte* folded_w,
                     Stream& stream) const noexcept {
  const RescueArguments arguments{.a = bytes(operands.a),
                                  .a_e8m0 = bytes(operands.a_scale),
                                  .a_wide = bytes(folded_a + activations_.wide),
                                  .a_ranges = reinterpret_cast<const unsigned short*>(folded_a + activations_.ranges),
                                  .w = bytes(folded_w + weights_.values),
                                  .w_scales = reinterpret_cast<const float*>(folded_w + weights_.scales),
                                  .w_wide = bytes(folded_w + weights_.wide),
                                  .bias = bytes(operands.bias),
                                  .c = reinterpret_cast<unsigned char*>(operands.c),
                                  .batch = problem_.batch,
                                  .m = problem_.m,
                                  .n = problem_.n,
                                  .k = problem_.k};
  module_.launch(
      stream, function_,
      {.grid = {grid}, .block = {rescue_threads}, .shared_bytes = rescue_shared_bytes, .start = LaunchStart::early},
      arguments);
}

}  // namespace gemmtune
