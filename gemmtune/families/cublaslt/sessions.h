// The library, and a session for each device that was requested. They are opened when first needed, and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/cublaslt/library.h"

namespace gemmtune::cublaslt {

class Sessions {
 public:
  /// Null if there is no library. Throws Error{unsupported} if the library lacks a function.
  std::shared_ptr<const Library> library();

  /// Throws Error{unsupported} if there is no library or it does not start, and Error{no_device} if the device's driver
  /// is missing or does not start.
  std::shared_ptr<const Session> of(const DeviceInfo& device);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Library> library_;
  std::map<int, std::shared_ptr<const Session>> sessions_;
};

}  // namespace gemmtune::cublaslt
