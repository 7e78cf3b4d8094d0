#include "gemmtune/device/gpu/current_context.h"

#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {

struct CurrentContext::Lent {
  std::shared_ptr<const gpu::Driver> driver{};
  gpu::ContextHandle context{};
};

CurrentContext::CurrentContext(DeviceKind kind) {
  const auto driver = gpu::find_driver(kind);
  const auto context = driver ? driver->current_context() : gpu::ContextHandle{};
  if (context != gpu::ContextHandle{}) lent_ = std::make_shared<const Lent>(Lent{driver, context});
}

void CurrentContext::lend() const noexcept {
  if (!lent_ || lent_->driver->current_context() != gpu::ContextHandle{}) return;
  lent_->driver->make_current(lent_->context);
}

}  // namespace gemmtune
