// The base of tests of kernels that need an NVIDIA GPU with a run-time compiler. They are skipped where there is none.
#pragma once

#include <span>
#include <vector>

#include "tests/support/on_gpu.h"

namespace gemmtune {

class KernelsOnGpu : public NeedsGpu {
 protected:
  const std::string& arch() const { return device_->info().arch; }
  Stream& stream() { return device_->stream(); }

  template <typename T>
  Buffer uploaded(const std::vector<T>& values) {
    auto buffer = device_->allocate(values.size() * sizeof(T));
    device_->upload(std::as_bytes(std::span(values)), buffer.data());
    return buffer;
  }

  /// A buffer with all bits set: floats are NaN, and flags have a value that kernels never write.
  Buffer poisoned(std::size_t bytes) { return uploaded(std::vector<std::uint8_t>(bytes, 0xff)); }

  template <typename T>
  std::vector<T> downloaded(const Buffer& buffer, std::size_t offset, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    device_->download(buffer.data() + offset, std::as_writable_bytes(std::span(values)));
    return values;
  }
};

}  // namespace gemmtune
