// A hash of large tensors, to notice that a kernel changed its inputs without keeping a second copy of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// Any change of one 32-byte word changes it. Not for security, nor for storing: it follows the machine's byte order.
std::uint64_t fingerprint(std::span<const std::byte> bytes);

/// The same for device memory, which is read through a small buffer. Of more than 64 MiB only chunks are read, spread
/// from the first byte to the last: hashing gigabytes of weights after each candidate would cost more than running it.
std::uint64_t fingerprint(Device& device, const Buffer& buffer);

}  // namespace gemmtune
