// NVIDIA's run-time compiler (NVRTC), loaded at run time.
#include <nvrtc.h>

#include <string>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor/cuda.h"

namespace gemmtune::gpu {
namespace {

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name takes no parentheses
#define GEMMTUNE_COMPILER_FUNCTION(member, name) decltype(&::name) member = library_.function<decltype(::name)>(#name)

class CudaCompiler final : public Compiler {
 public:
  explicit CudaCompiler(SharedLibrary library) : library_(std::move(library)) {
    // NVRTC loads this library by its name alone, which the loader only knows once the library is loaded.
    const auto folder = library_.name().rfind('/');
    if (folder == std::string::npos) return;
    static_cast<void>(
        SharedLibrary::open({library_.name().substr(0, folder) + "/libnvrtc-builtins.so." + version_number()}));
  }

  std::string version() const override { return "NVRTC " + version_number(); }

  std::string compile(const KernelSource& source, std::string& remarks) const override {
    const auto target = "--gpu-architecture=sm_" + source.arch.substr(2);  // code for exactly this chip, sm90a
    const Program program(*this, source);
    std::vector<const char*> texts;
    for (const auto& option : source.options) texts.push_back(option.c_str());
    texts.push_back(target.c_str());
    const auto result = compile_(program.handle, static_cast<int>(texts.size()), texts.data());
    remarks = log(program.handle);
    if (result != NVRTC_SUCCESS)
      fail(ErrorCode::unsupported, "{}: {}", source.name,
           remarks.empty() ? "does not compile, and there is no log" : remarks);
    std::size_t bytes{};
    check(code_size_(program.handle, &bytes), "nvrtcGetCUBINSize");
    std::string code(bytes, '\0');
    check(code_(program.handle, code.data()), "nvrtcGetCUBIN");
    return code;
  }

 private:
  std::string version_number() const {
    int major{};
    int minor{};
    check(version_(&major, &minor), "nvrtcVersion");
    return fmt::format("{}.{}", major, minor);
  }

  struct Program {
    Program(const CudaCompiler& owner, const KernelSource& source) : compiler(owner) {
      std::vector<const char*> texts;
      std::vector<const char*> names;
      for (const auto& header : source.headers) {
        texts.push_back(header.text.c_str());
        names.push_back(header.name.c_str());
      }
      compiler.check(compiler.create_(&handle, source.text.c_str(), source.name.c_str(), static_cast<int>(texts.size()),
                                      texts.data(), names.data()),
                     "nvrtcCreateProgram");
    }
    ~Program() { compiler.destroy_(&handle); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const CudaCompiler& compiler;
    nvrtcProgram handle{};
  };

  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS) fail(ErrorCode::unsupported, "{}: {}", what, words_(result));
  }
  std::string log(nvrtcProgram program) const {
    std::size_t bytes{};
    if (log_size_(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return {};
    std::string text(bytes + 1, '\0');
    log_(program, text.data());
    text.resize(text.find('\0'));
    return text;
  }

  SharedLibrary library_;
  GEMMTUNE_COMPILER_FUNCTION(words_, nvrtcGetErrorString);
  GEMMTUNE_COMPILER_FUNCTION(version_, nvrtcVersion);
  GEMMTUNE_COMPILER_FUNCTION(create_, nvrtcCreateProgram);
  GEMMTUNE_COMPILER_FUNCTION(destroy_, nvrtcDestroyProgram);
  GEMMTUNE_COMPILER_FUNCTION(compile_, nvrtcCompileProgram);
  GEMMTUNE_COMPILER_FUNCTION(log_size_, nvrtcGetProgramLogSize);
  GEMMTUNE_COMPILER_FUNCTION(log_, nvrtcGetProgramLog);
  GEMMTUNE_COMPILER_FUNCTION(code_size_, nvrtcGetCUBINSize);
  GEMMTUNE_COMPILER_FUNCTION(code_, nvrtcGetCUBIN);
};

#undef GEMMTUNE_COMPILER_FUNCTION

}  // namespace

std::unique_ptr<const Compiler> make_cuda_compiler(SharedLibrary library) {
  return std::make_unique<const CudaCompiler>(std::move(library));
}

}  // namespace gemmtune::gpu
