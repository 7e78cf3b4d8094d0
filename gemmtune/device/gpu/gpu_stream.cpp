#include "gemmtune/device/gpu/gpu_stream.h"

#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {

GpuStream::GpuStream(std::shared_ptr<const gpu::Driver> driver)
    : driver_(std::move(driver)), handle_(driver_->create_stream()) {}

GpuStream::GpuStream(std::shared_ptr<const gpu::Driver> driver, gpu::StreamHandle borrowed)
    : driver_(std::move(driver)), handle_(borrowed), is_borrowed_(true) {}

GpuStream::~GpuStream() {
  if (!is_borrowed_) driver_->destroy(handle_);
}

void GpuStream::synchronize() {
  driver_->synchronize(handle_);
  const std::lock_guard lock(mutex_);
  if (std::exchange(failed_, false)) throw Error(ErrorCode::unsupported, std::exchange(message_, {}));
}

void GpuStream::report_failure(std::string_view message) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::exchange(failed_, true)) return;
  try {
    message_ = message;
  } catch (...) {
    message_.clear();  // no memory for the message, but the failure still counts
  }
}

}  // namespace gemmtune
