// Device buffers with a guard on each side, so that a kernel that writes out of bounds is caught.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// What an unbroken guard holds, over and over: 4096 bytes.
std::span<const std::byte> intact_guard();

/// `size` usable bytes, aligned to 256, between two guards of a fixed pattern.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;

  /// Writes up to `watched` bytes out of bounds are noticed, at least 4096 and at most 16 MiB, which each guard takes
  /// then. If the device fences what it allocates (device/device.h), guards are short and the fence is behind them:
  /// a write into it ends the process.
  GuardedBuffer(Device& device, std::size_t size, std::size_t watched = 0);

  /// In memory that exists already, of storage_bytes(size): the guards have 4096 bytes.
  GuardedBuffer(Device& device, Buffer storage);

  /// Bytes for `size` usable bytes with guards of 4096 bytes.
  static std::size_t storage_bytes(std::size_t size);

  std::byte* data() const;  // null when size is 0
  std::size_t size() const { return size_; }

  /// All of the memory, guards included.
  const Buffer& storage() const { return buffer_; }

  /// Restores broken guards.
  void restore(Device& device);

  /// Where the two guards are, in pieces of intact_guard()'s size. None when size is 0. On a device with fences, the
  /// second guard goes on to the end of its page, and may end with a shorter piece that is not listed.
  std::vector<const std::byte*> guards() const;

  /// "", or "byte 12 after the end was overwritten, 4 of its guard's 4096 bytes in all": names the changed byte that
  /// is nearest to the buffer, counted from 1.
  std::string why_broken(Device& device) const;

 private:
  Buffer buffer_{};
  std::size_t before_{};  // bytes of the guards
  std::size_t after_{};
  std::size_t size_{};
};

}  // namespace gemmtune
