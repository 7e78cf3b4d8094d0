#include "gemmtune/device/gpu/find_driver.h"

#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {

std::shared_ptr<const gpu::Driver> find_driver() {
  auto library = SharedLibrary::open({gpu::driver_library});
  if (!library) return nullptr;
  try {
    return std::make_shared<const gpu::Driver>(*std::move(library));
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace gemmtune
