#include "gemmtune/families/cublaslt/sessions.h"

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune::cublaslt {

std::shared_ptr<const Library> Sessions::library() {
  const std::lock_guard lock(mutex_);
  if (!library_) library_ = Library::open();
  return library_;
}

std::shared_ptr<const Session> Sessions::of(const DeviceInfo& device) {
  const auto opened = library();
  if (!opened) fail(ErrorCode::unsupported, "{}", Library::why_not());
  const std::lock_guard lock(mutex_);
  auto& session = sessions_[device.index];
  if (session) return session;
  // Without a driver the library would not start either. It would give a poorer reason, and leak what it had allocated.
  static_cast<void>(gpu::driver_of(gpu::vendor_of(device.kind)));
  session = std::make_shared<const Session>(opened);
  return session;
}

}  // namespace gemmtune::cublaslt
