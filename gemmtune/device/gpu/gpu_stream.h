// A stream on a GPU. The parts of a GPU device share the stream and, through it, the driver.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/driver.h"

namespace gemmtune {

class GpuStream final : public Stream {
 public:
  /// Creates a stream on the device that the calling thread has made current.
  explicit GpuStream(std::shared_ptr<const gpu::Driver> driver);

  /// Works on a stream that belongs to another part of the program, which outlives this object; null is the default
  /// stream.
  GpuStream(std::shared_ptr<const gpu::Driver> driver, gpu::StreamHandle borrowed);
  ~GpuStream() override;
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;

  void synchronize() override;
  void report_failure(std::string_view message) noexcept override;
  DeviceKind kind() const noexcept override { return driver_->kind(); }
  void* native_handle() const noexcept override { return handle_; }

  const gpu::Driver& driver() const { return *driver_; }
  gpu::StreamHandle handle() const { return handle_; }

 private:
  std::shared_ptr<const gpu::Driver> driver_;
  gpu::StreamHandle handle_;
  bool is_borrowed_{};
  std::mutex mutex_;
  bool failed_{};
  std::string message_;
};

}  // namespace gemmtune
