#include "gemmtune/device/cpu/block_pool.h"

#include <sanitizer/asan_interface.h>  // its macros are empty without the sanitizer
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace gemmtune {
namespace {

using Block = BlockPool::Block;

std::size_t whole_units(std::size_t size) { return (size + BlockPool::unit - 1) / BlockPool::unit * BlockPool::unit; }

/// Asks for huge pages. With small ones, the strides of a kernel would decide its rank through TLB misses.
Block allocate(std::size_t size) {
  const auto capacity = whole_units(size);
  void* data = nullptr;
  if (posix_memalign(&data, BlockPool::unit, capacity) != 0) return {};
  madvise(data, capacity, MADV_HUGEPAGE);  // only advice, which the kernel may refuse
  return {static_cast<std::byte*>(data), size, capacity};
}

void release(const Block& block) {
  ASAN_UNPOISON_MEMORY_REGION(block.data, block.capacity);
  std::free(block.data);
}

void fence(const Block& block) {
  ASAN_UNPOISON_MEMORY_REGION(block.data, block.size);
  ASAN_POISON_MEMORY_REGION(block.data + block.size, block.capacity - block.size);
}

}  // namespace

BlockPool::~BlockPool() {
  for (const auto& block : kept_) release(block);
}

Block BlockPool::take(std::size_t size) {
  const std::lock_guard lock(mutex_);
  auto block = take_kept(size);
  if (block.data == nullptr) block = take_fresh(size);
  if (block.data == nullptr) return {};
  used_bytes_ += block.capacity;
  most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
  fence(block);
  return block;
}

void BlockPool::give_back(const Block& block) {
  const std::lock_guard lock(mutex_);
  ASAN_POISON_MEMORY_REGION(block.data, block.capacity);
  kept_.push_back(block);
  kept_bytes_ += block.capacity;
  used_bytes_ -= block.capacity;
}

std::size_t BlockPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

Block BlockPool::take_kept(std::size_t size) {
  const auto wanted = whole_units(size);
  auto best = kept_.end();
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    const bool fits = it->capacity >= wanted && it->capacity - wanted <= wanted / 4;
    if (fits && (best == kept_.end() || it->capacity < best->capacity)) best = it;
  }
  if (best == kept_.end()) return {};
  const Block block{best->data, size, best->capacity};
  kept_.erase(best);
  kept_bytes_ -= block.capacity;
  return block;
}

Block BlockPool::take_fresh(std::size_t size) {
  const auto used = used_bytes_ + whole_units(size);
  drop_kept(most_used_bytes_ - std::min(used, most_used_bytes_));
  const auto block = allocate(size);
  if (block.data != nullptr || kept_.empty()) return block;
  drop_kept(0);
  return allocate(size);
}

void BlockPool::drop_kept(std::size_t most_bytes) {
  auto end = kept_.begin();
  for (; kept_bytes_ > most_bytes; ++end) {
    release(*end);
    kept_bytes_ -= end->capacity;
  }
  kept_.erase(kept_.begin(), end);
}

}  // namespace gemmtune
