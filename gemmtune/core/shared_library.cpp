#include "gemmtune/core/shared_library.h"

#include <dlfcn.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

// Never unloaded: drivers start threads and register handlers that outlive any owner of ours.
constexpr int always = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

}  // namespace

std::optional<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& folders) {
  auto places = names;
  for (const auto& folder : folders)
    for (const auto& name : names) places.push_back(folder + '/' + name);
  for (const int which : {always | RTLD_NOLOAD, always})
    for (const auto& name : places)
      if (void* handle = ::dlopen(name.c_str(), which))
        return SharedLibrary(name, std::shared_ptr<void>(handle, ::dlclose));
  return std::nullopt;
}

SharedLibrary::Address SharedLibrary::address(const std::string& symbol) const {
  return reinterpret_cast<Address>(::dlsym(handle_.get(), symbol.c_str()));
}

SharedLibrary::Address SharedLibrary::required_address(const std::string& symbol) const {
  if (const auto found = address(symbol)) return found;
  fail(ErrorCode::unsupported, "{} has no function {}: it is too old", name_, symbol);
}

}  // namespace gemmtune
