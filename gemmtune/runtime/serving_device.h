// The device of a runtime inside a program that uses the device for other things too: the primary context, which the
// program's own libraries use, and streams that belong to the program. It allocates no memory.
//
// Not gemmtune::Device, which is the tuner's and takes the device for itself.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/driver.h"
#include "gemmtune/dispatch/process_events.h"

namespace gemmtune {

class ServingDevice final : private ProcessListener {
 public:
  /// Makes a device's context current on this thread, and the thread's former one again at the end. Meanwhile the
  /// thread may load code and allocate although the program captures a stream, on this thread or on another one.
  class Entered {
   public:
    explicit Entered(const ServingDevice& device);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    const ServingDevice* device_;
    gpu::ContextHandle former_{};
    gpu::CaptureMode former_mode_{};
  };

  /// `id` is "cpu" or "cuda:1"; "" is the first GPU, or else the CPU. Throws Error{no_device}.
  static std::shared_ptr<const ServingDevice> open(std::string_view id);

  explicit ServingDevice(DeviceInfo info);
  ~ServingDevice() override;
  ServingDevice(const ServingDevice&) = delete;
  ServingDevice& operator=(const ServingDevice&) = delete;

  const DeviceInfo& info() const { return info_; }

  /// Whether what this thread launches goes to this device, in the process that opened it. A thread without a context
  /// gets the device's.
  bool is_reached() const noexcept;

  /// Whether this process is a forked child of the one that opened the device. It must not use it.
  bool is_forked() const noexcept { return is_forked_.load(std::memory_order_relaxed); }

  /// A view of the program's stream, for work that may wait.
  std::unique_ptr<Stream> view_of(void* native) const;

  /// Null on a CPU.
  const std::shared_ptr<const gpu::Driver>& driver() const { return driver_; }

 private:
  void after_fork_in_child() noexcept override { is_forked_ = true; }

  // Each launch reads the first three, so that they stand together.
  std::shared_ptr<const gpu::Driver> driver_;
  gpu::ContextHandle context_{};
  std::atomic<bool> is_forked_{false};
  DeviceInfo info_;
};

}  // namespace gemmtune
