// Memory between pages that cannot be accessed, so that a write far out of bounds ends the process instead of passing
// unnoticed.
#pragma once

#include <cstddef>

namespace gemmtune {

struct FencedBlock {
  std::byte* data{};
  std::byte* reserved{};  // with the fences
  std::size_t reserved_bytes{};
};

/// On each side. As many bytes as 256 rows of 16384 floats, which no tile of a kernel exceeds. Only addresses are spent
/// on them. 0 where the process has a limit on its address space, which fences would use up.
std::size_t cpu_fence_bytes();

/// At least `size` bytes, aligned to a page, or to 2 MiB and in huge pages where it is that large. The fences begin
/// with the next page. `data` is null where there is no memory.
FencedBlock map_fenced(std::size_t size);
void unmap(const FencedBlock& block);

}  // namespace gemmtune
