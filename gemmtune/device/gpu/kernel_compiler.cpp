#include "gemmtune/device/gpu/kernel_compiler.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/compiler.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {

KernelSource with_header(KernelSource source, std::string_view name, std::string text) {
  const auto found = std::ranges::find(source.headers, name, &KernelHeader::name);
  if (found == source.headers.end()) fail(ErrorCode::internal, "{} does not include {}", source.name, name);
  found->text = std::move(text);
  return source;
}

std::unique_ptr<KernelCompiler> KernelCompiler::open(KernelCache cache, DeviceKind kind) {
  auto compiler = gpu::find_compiler(gpu::vendor_of(kind));
  if (!compiler) return nullptr;
  return std::unique_ptr<KernelCompiler>(new KernelCompiler(std::move(compiler), std::move(cache), kind));
}

std::string KernelCompiler::why_not(DeviceKind kind) { return gpu::why_no_compiler(gpu::vendor_of(kind)); }

KernelCompiler::KernelCompiler(std::unique_ptr<const gpu::Compiler> compiler, KernelCache cache, DeviceKind kind)
    : compiler_(std::move(compiler)), cache_(std::move(cache)), kind_(kind), version_(compiler_->version()) {}

KernelCompiler::~KernelCompiler() = default;

std::string KernelCompiler::compile(const KernelSource& source, std::string* remarks) const {
  if (gpu::kind_of_arch(source.arch) != kind_)
    fail(ErrorCode::unsupported, "{}: {} compiles nothing for {}", source.name, version_, source.arch);
  if (remarks != nullptr) remarks->clear();
  const auto key = cache_key(source, version_);
  if (auto kept = cache_.find(key)) return *std::move(kept);
  std::string said;
  auto code = compiler_->compile(source, said);
  const bool is_heard = remarks != nullptr && !said.empty();
  if (!is_heard) cache_.keep(key, code);
  if (remarks != nullptr) *remarks = std::move(said);
  return code;
}

KernelCode compile_kernel(const KernelSource& source) {
  const auto kind = gpu::kind_of_arch(source.arch);
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()), kind);
  if (!compiler) fail(ErrorCode::unsupported, "{}: {}", source.name, KernelCompiler::why_not(kind));
  return {.kind = kind, .bytes = compiler->compile(source)};
}

}  // namespace gemmtune
