// Device buffers with a guard on each side, so that a kernel that writes out of bounds is caught.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// What an unbroken guard holds.
std::span<const std::byte> intact_guard();

/// `size` usable bytes, aligned to 256, between two guards of 4096 bytes of a fixed pattern.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  GuardedBuffer(Device& device, std::size_t size);

  /// In memory that exists already, of storage_bytes(size).
  GuardedBuffer(Device& device, Buffer storage);

  /// Bytes for `size` usable bytes with their guards.
  static std::size_t storage_bytes(std::size_t size);

  std::byte* data() const;  // null when size is 0
  std::size_t size() const { return size_; }

  /// All of the memory, guards included.
  const Buffer& storage() const { return buffer_; }

  /// Restores broken guards.
  void restore(Device& device);

  /// Where the two guards are, each of intact_guard()'s size. None when size is 0.
  std::vector<const std::byte*> guards() const;

  /// "", or "byte 12 after the end was overwritten, 4 of its guard's 4096 bytes in all": names the changed byte that
  /// is nearest to the buffer, counted from 1.
  std::string why_broken(Device& device) const;

 private:
  Buffer buffer_{};
  std::size_t size_{};
};

}  // namespace gemmtune
