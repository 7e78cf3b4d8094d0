#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {

std::string examiner_kernel_text();  // written by CMake

namespace {

std::string codec_of(DType type) {
  switch (type) {
    case DType::f32:
      return "F32Codec";
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

}  // namespace

KernelSource examiner_source(DType type, const std::string& arch) {
  const auto codec = codec_of(type);
  // Fused multiply-adds only where they are written: rounding must be the host's.
  return {.name = "examiner_" + codec + ".cu",
          .text = examiner_kernel_text(),
          .arch = arch,
          .options = {"--std=c++20", "--fmad=false", "--device-as-default-execution-space", "-DCODEC=" + codec}};
}

const GpuModule& ExaminerKernels::module_of(DType type) {
  const auto found = modules_.find(type);
  if (found != modules_.end()) return found->second;
  return modules_.emplace(type, GpuModule(compile_kernel(examiner_source(type, device_->info().arch)))).first->second;
}

unsigned blocks_for(std::int64_t count, std::int64_t in_each) {
  constexpr std::int64_t most = 1 << 14;
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + in_each - 1) / in_each, 1, most));
}

}  // namespace gemmtune
