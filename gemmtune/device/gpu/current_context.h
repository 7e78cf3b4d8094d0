// Lends a thread's driver context to threads that have none. Without it, a vendor's library that needs a context and
// finds none would open the machine's first device, even for a thread that works for another one.
#pragma once

#include <memory>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

class CurrentContext {
 public:
  /// Takes the calling thread's context of the driver for such GPUs. It is empty if the thread has none or the machine
  /// has no driver.
  explicit CurrentContext(DeviceKind kind);

  /// Makes the context the calling thread's, unless that thread has one of its own. If the driver refuses, the next
  /// call fails.
  void lend() const noexcept;

 private:
  struct Lent;
  std::shared_ptr<const Lent> lent_;
};

}  // namespace gemmtune
