// AMD's run-time compiler (hipRTC), loaded at run time.
#include <hip/hiprtc.h>

#include <string>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor/hip.h"

namespace gemmtune::gpu {
namespace {

#define GEMMTUNE_COMPILER_FUNCTION(member, name) decltype(&::name) member = library_.function<decltype(::name)>(#name)

class HipCompiler final : public Compiler {
 public:
  explicit HipCompiler(SharedLibrary library) : library_(std::move(library)) {}

  std::string version() const override {
    int major{};
    int minor{};
    check(version_(&major, &minor), "hiprtcVersion");
    return fmt::format("hipRTC {}.{}", major, minor);
  }

  std::string compile(const KernelSource& source, std::string& remarks) const override {
    const auto target = "--gpu-architecture=" + source.arch;
    const Program program(*this, source);
    std::vector<const char*> texts;
    for (const auto& option : source.options) texts.push_back(option.c_str());
    texts.push_back(target.c_str());
    const auto result = compile_(program.handle, static_cast<int>(texts.size()), texts.data());
    remarks = log(program.handle);
    if (result != HIPRTC_SUCCESS)
      fail(ErrorCode::unsupported, "{}: {}", source.name,
           remarks.empty() ? "does not compile, and there is no log" : remarks);
    std::size_t bytes{};
    check(code_size_(program.handle, &bytes), "hiprtcGetCodeSize");
    std::string code(bytes, '\0');
    check(code_(program.handle, code.data()), "hiprtcGetCode");
    return code;
  }

 private:
  struct Program {
    Program(const HipCompiler& owner, const KernelSource& source) : compiler(owner) {
      std::vector<const char*> texts;
      std::vector<const char*> names;
      for (const auto& header : source.headers) {
        texts.push_back(header.text.c_str());
        names.push_back(header.name.c_str());
      }
      compiler.check(compiler.create_(&handle, source.text.c_str(), source.name.c_str(), static_cast<int>(texts.size()),
                                      texts.data(), names.data()),
                     "hiprtcCreateProgram");
    }
    ~Program() { static_cast<void>(compiler.destroy_(&handle)); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const HipCompiler& compiler;
    hiprtcProgram handle{};
  };

  void check(hiprtcResult result, const char* what) const {
    if (result != HIPRTC_SUCCESS) fail(ErrorCode::unsupported, "{}: {}", what, words_(result));
  }
  std::string log(hiprtcProgram program) const {
    std::size_t bytes{};
    if (log_size_(program, &bytes) != HIPRTC_SUCCESS || bytes == 0) return {};
    std::string text(bytes, '\0');
    static_cast<void>(log_(program, text.data()));
    return text.c_str();  // the log ends at its NUL
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

}  // namespace

std::unique_ptr<const Compiler> make_hip_compiler(SharedLibrary library) {
  return std::make_unique<const HipCompiler>(std::move(library));
}

}  // namespace gemmtune::gpu
