// Instead of kernel_compiler.cpp in a build without support for GPUs.
#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {

struct KernelCompiler::Library {};

// NOLINTNEXTLINE(performance-unnecessary-value-param): as declared, for the one that keeps it
std::unique_ptr<KernelCompiler> KernelCompiler::open(KernelCache /*cache*/) { return nullptr; }
std::string KernelCompiler::why_not() { return "support for GPUs is left out of this build"; }
KernelCompiler::~KernelCompiler() = default;
std::string KernelCompiler::compile(const KernelSource& source) const { return compile_kernel(source); }

std::string compile_kernel(const KernelSource& source) {
  fail(ErrorCode::unsupported, "{}: {}", source.name, KernelCompiler::why_not());
}

}  // namespace gemmtune
