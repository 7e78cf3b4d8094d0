#include "gemmtune/preload/originals.h"

#include <dlfcn.h>

#include "gemmtune/core/error.h"

namespace gemmtune::preload {

AnyFunction find_original(const char* function, const std::vector<std::string>& libraries) noexcept {
  if (void* next = ::dlsym(RTLD_NEXT, function)) return reinterpret_cast<AnyFunction>(next);
  for (const auto& library : libraries) {
    void* loaded = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* found = ::dlsym(loaded, function);
    ::dlclose(loaded);  // whoever loaded it keeps it
    if (found != nullptr) return reinterpret_cast<AnyFunction>(found);
  }
  return nullptr;
}

SharedLibrary loaded_cublaslt() {
  const auto found = find_original("cublasLtMatmul", cublaslt_names());
  Dl_info place{};
  if (found == nullptr || ::dladdr(reinterpret_cast<const void*>(found), &place) == 0 || place.dli_fname == nullptr)
    fail(ErrorCode::unsupported, "the process has not loaded cuBLASLt");
  auto library = SharedLibrary::open({place.dli_fname});
  if (!library) fail(ErrorCode::unsupported, "{} cannot be opened", place.dli_fname);
  return *std::move(library);
}

}  // namespace gemmtune::preload
