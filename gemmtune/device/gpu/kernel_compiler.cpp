#include "gemmtune/device/gpu/kernel_compiler.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/compiler.h"
#include "gemmtune/device/gpu/toolkit_folders.h"

namespace gemmtune {

struct KernelCompiler::Library {
  gpu::Compiler compiler;
};

std::unique_ptr<KernelCompiler> KernelCompiler::open(KernelCache cache) {
  auto library = SharedLibrary::open(gpu::compiler_libraries, toolkit_folders());
  if (!library) return nullptr;
  auto opened = std::make_unique<Library>(Library{gpu::Compiler(*std::move(library))});
  return std::unique_ptr<KernelCompiler>(new KernelCompiler(std::move(opened), std::move(cache)));
}

std::string KernelCompiler::why_not() {
  return fmt::format("there is no run-time compiler ({})", join(gpu::compiler_libraries, ", "));
}

KernelCompiler::KernelCompiler(std::unique_ptr<Library> library, KernelCache cache)
    : library_(std::move(library)), cache_(std::move(cache)), version_(library_->compiler.version()) {}

KernelCompiler::~KernelCompiler() = default;

std::string KernelCompiler::compile(const KernelSource& source) const {
  const auto key = cache_key(source, version_);
  if (auto kept = cache_.find(key)) return *std::move(kept);
  auto options = source.options;
  options.push_back(gpu::Compiler::arch_option(source.arch));
  auto code = library_->compiler.compile(source.text, source.name, options);
  cache_.keep(key, code);
  return code;
}

std::string compile_kernel(const KernelSource& source) {
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()));
  if (!compiler) fail(ErrorCode::unsupported, "{}: {}", source.name, KernelCompiler::why_not());
  return compiler->compile(source);
}

}  // namespace gemmtune
