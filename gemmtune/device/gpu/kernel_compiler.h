// Compiles source text to machine code at run time, with a vendor's compiler and a cache on disk. It needs no GPU, so
// every kernel can be compiled on any machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/gpu/kernel_cache.h"
#include "gemmtune/device/gpu/kernel_code.h"

namespace gemmtune {
namespace gpu {
class Compiler;
}

/// A file that kernels include. Run-time compilers read no files, so they are given the text under this name.
struct KernelHeader {
  std::string name{};  // as it stands in the #include: "gemmtune/gemm/e8m0.h", or "cstdint"
  std::string text{};

  auto operator<=>(const KernelHeader&) const = default;
};

struct KernelSource {
  std::string name{};                   // for messages
  std::string text{};                   // CUDA C++
  std::vector<KernelHeader> headers{};  // everything that the text includes, directly or indirectly
  std::string arch{};                   // "sm90a"; also decides the vendor
  std::vector<std::string> options{};
};

/// The source with another text for one of its headers. Throws Error{internal} if the source does not have that header.
KernelSource with_header(KernelSource source, std::string_view name, std::string text);

/// The compiler of one vendor, with the cache.
class KernelCompiler {
 public:
  /// Null if this machine has no run-time compiler for such GPUs. `why_not` then lists the libraries that were tried,
  /// or says that this build can use none.
  static std::unique_ptr<KernelCompiler> open(KernelCache cache, DeviceKind kind);
  static std::string why_not(DeviceKind kind);

  ~KernelCompiler();

  /// Name and version of the compiler: "NVRTC 13.0".
  const std::string& version() const { return version_; }

  /// Whether the cache has the code with this key.
  bool has(const std::string& key) const { return cache_.contains(key); }

  /// The machine code of the source. Throws Error{unsupported} with the compiler's log, or if the arch is another
  /// vendor's. `remarks` receives what the compiler says of code that it makes. Code with remarks
  /// that were heard is not kept, so that they are made again. Of code in the cache, nothing is said.
  std::string compile(const KernelSource& source, std::string* remarks = nullptr) const;

 private:
  KernelCompiler(std::unique_ptr<const gpu::Compiler> compiler, KernelCache cache, DeviceKind kind);

  std::unique_ptr<const gpu::Compiler> compiler_;
  KernelCache cache_;
  DeviceKind kind_;
  std::string version_;
};

/// The machine code of the source, from the default cache or from the compiler of the arch's vendor. Throws
/// Error{unsupported} if there is no such compiler.
KernelCode compile_kernel(const KernelSource& source);

/// The key of a compilation in the cache: a hash of everything that goes into it, as 32 hexadecimal digits.
std::string cache_key(const KernelSource& source, const std::string& compiler_version);

}  // namespace gemmtune
