// The library, and a session for each device that was asked for: opened when first needed, and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/cublaslt/library.h"

namespace gemmtune::cublaslt {

class Sessions {
 public:
  /// Null where there is no library. Throws Error{unsupported} when it lacks a function.
  std::shared_ptr<const Library> library();

  /// Throws Error{unsupported} where there is no library, or it does not start, and Error{no_device} where the
  /// device's driver is missing or does not start.
  std::shared_ptr<const Session> of(const DeviceInfo& device);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Library> library_;
  std::map<int, std::shared_ptr<const Session>> sessions_;
};

}  // namespace gemmtune::cublaslt
