#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <algorithm>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {

// Written by CMake.
KernelSource codec_kernel();
KernelSource plain_kernel();

namespace {

std::string codec_of(DType type) {
  switch (type) {
    case DType::f32:
      return "F32Codec";
    case DType::tf32:
      return "Tf32Codec";
    case DType::f16:
      return "F16Codec";
    case DType::bf16:
      return "Bf16Codec";
    case DType::e4m3:
      return "E4M3Codec";
    case DType::e4m3fnuz:
      return "E4M3FnuzCodec";
    case DType::i8:
      return "I8Codec";
    case DType::e2m1:
      return "E2M1Codec";
    case DType::f64:
    case DType::i32:
    case DType::e8m0:
      break;
  }
  fail(ErrorCode::unsupported, "{} holds no matrix elements", to_string(type));
}

/// Fused multiply-adds only where they are written: rounding must be the host's.
std::vector<std::string> common_options() {
  return {"--std=c++20", "--fmad=false", "--device-as-default-execution-space"};
}

}  // namespace

KernelSource codec_kernels(DType type, const std::string& arch) {
  const auto codec = codec_of(type);
  auto source = codec_kernel();
  source.name = "examiner_" + codec + ".cu";
  source.arch = arch;
  source.options = common_options();
  source.options.push_back("-DCODEC=" + codec);
  return source;
}

KernelSource plain_kernels(const std::string& arch) {
  auto source = plain_kernel();
  source.arch = arch;
  source.options = common_options();
  return source;
}

const GpuModule& ExaminerKernels::module_of(const KernelSource& source) {
  const auto found = modules_.find(source.name);
  if (found != modules_.end()) return found->second;
  return modules_.emplace(source.name, GpuModule(compile_kernel(source))).first->second;
}

unsigned blocks_for(std::int64_t count, std::int64_t in_each) {
  constexpr std::int64_t most = 1 << 14;
  return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_div(count, in_each), 1, most));
}

}  // namespace gemmtune
