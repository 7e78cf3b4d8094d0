// Copies that leave the caches unchanged, for bytes that are not read again soon.
#pragma once

#include <cstddef>
#include <span>

namespace gemmtune {

/// Copies bytes to memory that does not overlap them. Where the CPU can, it writes past the caches, so that memory need
/// not read the lines that are overwritten.
void streaming_copy(std::span<const std::byte> from, std::byte* to);

}  // namespace gemmtune
