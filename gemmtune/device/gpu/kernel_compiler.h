// Source text to machine code at run time, through a vendor's compiler and a cache on disk. Needs no GPU, so that every
// kernel can be compiled where there is none.
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

/// A file that kernels include. Run-time compilers read no files: they are given the text under its name.
struct KernelHeader {
  std::string name{};  // as it stands in the #include: "gemmtune/gemm/e8m0.h", or "cstdint"
  std::string text{};

  auto operator<=>(const KernelHeader&) const = default;
};

struct KernelSource {
  std::string name{};                   // for messages
  std::string text{};                   // CUDA C++
  std::vector<KernelHeader> headers{};  // all that the text includes, and what those include
  std::string arch{};                   // "sm90a"; says whose GPUs the code is for
  std::vector<std::string> options{};
};

/// The source with another text for one of its headers. Throws Error{internal} when the source does not include it.
KernelSource with_header(KernelSource source, std::string_view name, std::string text);

/// One vendor's compiler, with the cache.
class KernelCompiler {
 public:
  /// Null where this machine has no run-time compiler for such GPUs; `why_not` then says which libraries were looked
  /// for, or that this build can use none.
  static std::unique_ptr<KernelCompiler> open(KernelCache cache, DeviceKind kind);
  static std::string why_not(DeviceKind kind);

  ~KernelCompiler();

  /// "NVRTC 13.0".
  const std::string& version() const { return version_; }

  /// Whether compile() would find in the cache what is known by this key.
  bool has(const std::string& key) const { return cache_.contains(key); }

  /// Machine code. Throws Error{unsupported} with the compiler's log, or for the arch of another vendor.
  std::string compile(const KernelSource& source) const;

 private:
  KernelCompiler(std::unique_ptr<const gpu::Compiler> compiler, KernelCache cache, DeviceKind kind);

  std::unique_ptr<const gpu::Compiler> compiler_;
  KernelCache cache_;
  DeviceKind kind_;
  std::string version_;
};

/// Machine code from the default cache, or compiled now by the compiler of the arch's vendor. Throws Error{unsupported}
/// where there is none.
KernelCode compile_kernel(const KernelSource& source);

/// What a compilation is known by in the cache: all that goes into it, hashed to 32 hexadecimal digits.
std::string cache_key(const KernelSource& source, const std::string& compiler_version);

}  // namespace gemmtune
