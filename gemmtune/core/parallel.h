// A loop over the machine's threads, for host work on whole tensors: drawing, quantising, references.
// Not for kernels: they are timed, and choose their threads themselves.
#pragma once

#include <cstdint>
#include <functional>

namespace gemmtune {

/// Calls body(begin, end) for consecutive pieces of [0, count), each of `grain` but the last, in any order and on any
/// thread. Where the pieces lie depends on `grain` alone. The first exception is thrown on once all threads have
/// stopped.
void parallel_pieces(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace gemmtune
