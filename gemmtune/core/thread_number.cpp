#include "gemmtune/core/thread_number.h"

#include <atomic>

namespace gemmtune {
namespace {

std::size_t next_number() noexcept {
  static std::atomic<std::size_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t this_thread_number() noexcept {
  thread_local const std::size_t number = next_number();
  return number;
}

}  // namespace gemmtune
