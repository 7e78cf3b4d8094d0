#include "gemmtune/dispatch/index/text_pool.h"

#include <algorithm>

namespace gemmtune {
namespace {

constexpr std::size_t block_bytes = 64 * 1024;

}  // namespace

std::string_view TextPool::keep(std::string_view text) {
  if (const auto known = texts_.find(text); known != texts_.end()) return *known;
  auto* copy = room_for(text.size() + 1);
  *std::ranges::copy(text, copy).out = '\0';
  return *texts_.emplace(copy, text.size()).first;
}

char* TextPool::room_for(std::size_t bytes) {
  if (used_ + bytes > capacity_) {
    capacity_ = std::max(bytes, block_bytes);
    blocks_.push_back(std::make_unique<char[]>(capacity_));
    used_ = 0;
  }
  used_ += bytes;
  return blocks_.back().get() + used_ - bytes;
}

}  // namespace gemmtune
