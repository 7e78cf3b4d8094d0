// AMD's run-time compiler, loaded at run time, behind the names of vendor/cuda_compiler.h. Needs no GPU.
#pragma once

#include <hip/hiprtc.h>

#include <string>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/shared_library.h"

namespace gemmtune::gpu {

inline const std::vector<std::string> compiler_libraries{"libhiprtc.so", "libamdhip64.so"};

#define GEMMTUNE_COMPILER_FUNCTION(member, name) decltype(&::name) member = library_.function<decltype(::name)>(#name)

class Compiler {
 public:
  explicit Compiler(SharedLibrary library) : library_(std::move(library)) {}

  /// "hipRTC 9.0".
  std::string version() const {
    int major{};
    int minor{};
    check(version_(&major, &minor), "hiprtcVersion");
    return fmt::format("hipRTC {}.{}", major, minor);
  }

  static std::string arch_option(const std::string& arch) { return "--gpu-architecture=" + arch; }

  std::string compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options) const {
    Program program(*this, source, name);
    std::vector<const char*> texts;
    for (const auto& option : options) texts.push_back(option.c_str());
    const auto result = compile_(program.handle, static_cast<int>(texts.size()), texts.data());
    if (result != HIPRTC_SUCCESS) fail(ErrorCode::unsupported, "{}: {}", name, log(program.handle));
    std::size_t bytes{};
    check(code_size_(program.handle, &bytes), "hiprtcGetCodeSize");
    std::string code(bytes, '\0');
    check(code_(program.handle, code.data()), "hiprtcGetCode");
    return code;
  }

 private:
  struct Program {
    Program(const Compiler& owner, const std::string& source, const std::string& name) : compiler(owner) {
      compiler.check(compiler.create_(&handle, source.c_str(), name.c_str(), 0, nullptr, nullptr),
                     "hiprtcCreateProgram");
    }
    ~Program() { static_cast<void>(compiler.destroy_(&handle)); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const Compiler& compiler;
    hiprtcProgram handle{};
  };

  void check(hiprtcResult result, const char* what) const {
    if (result != HIPRTC_SUCCESS) fail(ErrorCode::unsupported, "{}: {}", what, words_(result));
  }
  std::string log(hiprtcProgram program) const {
    std::size_t bytes{};
    if (log_size_(program, &bytes) != HIPRTC_SUCCESS || bytes == 0) return "does not compile, and there is no log";
    std::string text(bytes, '\0');
    static_cast<void>(log_(program, text.data()));
    return text.c_str();  // up to its NUL
  }

  SharedLibrary library_;
  GEMMTUNE_COMPILER_FUNCTION(words_, hiprtcGetErrorString);
  GEMMTUNE_COMPILER_FUNCTION(version_, hiprtcVersion);
  GEMMTUNE_COMPILER_FUNCTION(create_, hiprtcCreateProgram);
  GEMMTUNE_COMPILER_FUNCTION(destroy_, hiprtcDestroyProgram);
  GEMMTUNE_COMPILER_FUNCTION(compile_, hiprtcCompileProgram);
  GEMMTUNE_COMPILER_FUNCTION(log_size_, hiprtcGetProgramLogSize);
  GEMMTUNE_COMPILER_FUNCTION(log_, hiprtcGetProgramLog);
  GEMMTUNE_COMPILER_FUNCTION(code_size_, hiprtcGetCodeSize);
  GEMMTUNE_COMPILER_FUNCTION(code_, hiprtcGetCode);
};

#undef GEMMTUNE_COMPILER_FUNCTION

}  // namespace gemmtune::gpu
