// Source text to machine code at run time, through the vendor's compiler and a cache on disk. Needs no GPU, so that
// every kernel can be compiled where there is none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/kernel_cache.h"

namespace gemmtune {

struct KernelSource {
  std::string name{};  // for messages
  std::string text{};  // CUDA C++; without #include
  std::string arch{};  // "sm90a"
  std::vector<std::string> options{};
};

class KernelCompiler {
 public:
  /// Null where this machine has no run-time compiler; `why_not` then says which libraries were looked for.
  static std::unique_ptr<KernelCompiler> open(KernelCache cache);
  static std::string why_not();

  ~KernelCompiler();

  /// "NVRTC 13.0".
  const std::string& version() const { return version_; }

  /// Whether compile() would find in the cache what is known by this key.
  bool has(const std::string& key) const { return cache_.contains(key); }

  /// Machine code. Throws Error{unsupported} with the compiler's log.
  std::string compile(const KernelSource& source) const;

 private:
  struct Library;
  KernelCompiler(std::unique_ptr<Library> library, KernelCache cache);

  std::unique_ptr<Library> library_;
  KernelCache cache_;
  std::string version_;
};

/// Machine code from the default cache, or compiled now. Throws Error{unsupported} where there is no run-time compiler.
std::string compile_kernel(const KernelSource& source);

/// What a compilation is known by in the cache: all that goes into it, hashed to 32 hexadecimal digits.
std::string cache_key(const KernelSource& source, const std::string& compiler_version);

}  // namespace gemmtune
