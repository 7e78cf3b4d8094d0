#include "gemmtune/device/cpu/fenced_block.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>

namespace gemmtune {
namespace {

constexpr std::size_t fence = std::size_t{16} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

std::size_t cpu_fence_bytes() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY ? fence : 0;
}

FencedBlock map_fenced(std::size_t size) {
  const auto alignment = size >= huge_page ? huge_page : page();
  const auto bytes = whole(size, page());
  const auto reserved_bytes = 2 * fence + bytes + alignment;
  void* reserved = mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return {};
  auto* const begin = static_cast<std::byte*>(reserved);
  const auto address = reinterpret_cast<std::uintptr_t>(begin) + fence;
  auto* const data = begin + fence + (whole(address, alignment) - address);
  if (mprotect(data, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(reserved, reserved_bytes);
    return {};
  }
  if (alignment == huge_page) madvise(data, bytes, MADV_HUGEPAGE);  // advice: may be refused
  return {data, begin, reserved_bytes};
}

void unmap(const FencedBlock& block) { munmap(block.reserved, block.reserved_bytes); }

}  // namespace gemmtune
