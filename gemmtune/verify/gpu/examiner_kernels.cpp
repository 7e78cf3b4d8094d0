#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <algorithm>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec_name.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {

// Written by CMake.
KernelSource codec_kernel();
KernelSource plain_kernel();

namespace {

/// Fused multiply-adds only where they are written: rounding must be the host's.
std::vector<std::string> common_options() {
  return {"--std=c++20", "--fmad=false", "--device-as-default-execution-space"};
}

}  // namespace

KernelSource codec_kernels(DType type, const std::string& arch) {
  const std::string codec = codec_name(type);
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
