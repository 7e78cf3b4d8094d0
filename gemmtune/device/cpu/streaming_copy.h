// Copies that leave the caches as they are: what is written is not read back before much else has been.
#pragma once

#include <cstddef>
#include <span>

namespace gemmtune {

/// `from` and `to` do not overlap. Past the caches where the CPU can do that, which also spares memory reading what is
/// to be overwritten.
void streaming_copy(std::span<const std::byte> from, std::byte* to);

}  // namespace gemmtune
