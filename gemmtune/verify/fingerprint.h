// A hash of large tensors that shows whether a kernel changed its inputs, without a second copy of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// Changes when any one 32-byte word changes. Not for security and not for storing: it depends on the machine's byte
/// order.
std::uint64_t fingerprint(std::span<const std::byte> bytes);

/// The same for device memory, read through a small buffer. Of more than 64 MiB, only chunks from the first byte to
/// the last are read: hashing gigabytes of weights after each candidate would take longer than running it.
std::uint64_t fingerprint(Device& device, const Buffer& buffer);

}  // namespace gemmtune
