// The vendor's driver, where this machine has one that starts.
#pragma once

#include <memory>

#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {

/// Null where there is no driver, or it does not start: containers, machines whose GPU was taken away.
std::shared_ptr<const gpu::Driver> find_driver();

}  // namespace gemmtune
