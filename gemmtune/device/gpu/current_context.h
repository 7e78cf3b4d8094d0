// The driver's context of one thread, for threads that have none. A vendor's library that needs a context and finds
// none would open the machine's first device, whichever device the thread works for.
#pragma once

#include <memory>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

class CurrentContext {
 public:
  /// The calling thread's, of the driver for such GPUs; none where the thread has none or the machine no driver.
  explicit CurrentContext(DeviceKind kind);

  /// Makes it the calling thread's, unless the thread has one of its own. A driver's refusal shows in the next call.
  void lend() const noexcept;

 private:
  struct Lent;
  std::shared_ptr<const Lent> lent_;
};

}  // namespace gemmtune
