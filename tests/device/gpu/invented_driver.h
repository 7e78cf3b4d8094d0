// A driver of invented GPUs, for tests on machines without a GPU. Device memory is the host's.
#pragma once

#include <cstring>
#include <new>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/driver.h"

namespace gemmtune {

/// Two devices of one kind. Streams, events and modules are numbers; nothing is ever launched.
class InventedDriver final : public gpu::Driver {
 public:
  explicit InventedDriver(DeviceKind kind) : kind_(kind) {}

  DeviceKind kind() const noexcept override { return kind_; }
  int device_count() const override { return 2; }
  DeviceInfo device_info(int index) const override {
    const bool nvidia = kind_ == DeviceKind::cuda;
    return {.kind = kind_,
            .index = index,
            .name = std::string(nvidia ? "Invented N" : "Invented A") + std::to_string(index),
            .arch = nvidia ? "sm90" : "gfx942",
            .cu_num = nvidia ? 132 : 304};
  }
  std::string bus_id(int index) const override { return "ffff:ff:0" + std::to_string(index) + ".0"; }

  void make_current(int) const override {}
  gpu::ContextHandle current_context() const noexcept override { return gpu::ContextHandle{1}; }
  void make_current(gpu::ContextHandle) const noexcept override {}
  int current_index() const override { return 0; }
  int compute_units() const override { return 8; }
  bool starts_early() const override { return false; }
  std::string delay_code() const override { return {}; }

  std::byte* allocate(std::size_t bytes) const override { return static_cast<std::byte*>(::operator new(bytes)); }
  void release(std::byte* address) const noexcept override { ::operator delete(address); }
  std::byte* allocate_pinned(std::size_t) const noexcept override { return nullptr; }
  void release_pinned(std::byte*) const noexcept override {}
  void upload(const std::byte* from, std::byte* to, std::size_t bytes, gpu::StreamHandle) const override {
    std::memcpy(to, from, bytes);
  }
  void download(const std::byte* from, std::byte* to, std::size_t bytes, gpu::StreamHandle) const override {
    std::memcpy(to, from, bytes);
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes, gpu::StreamHandle) const override {
    std::memcpy(to, from, bytes);
  }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, gpu::StreamHandle) const override {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(pattern >> (i % 2 * 8));
  }

  gpu::StreamHandle create_stream() const override { return reinterpret_cast<gpu::StreamHandle>(std::uintptr_t{1}); }
  void destroy(gpu::StreamHandle) const noexcept override {}
  void synchronize(gpu::StreamHandle) const override {}
  bool failed(gpu::StreamHandle) const noexcept override { return false; }

  gpu::EventHandle create_event() const override { return reinterpret_cast<gpu::EventHandle>(std::uintptr_t{1}); }
  void destroy(gpu::EventHandle) const noexcept override {}
  void record(gpu::EventHandle, gpu::StreamHandle) const override {}
  void synchronize(gpu::EventHandle) const override {}
  double elapsed_us(gpu::EventHandle, gpu::EventHandle) const override { return 1; }

  gpu::CaptureMode exchange_capture_mode(gpu::CaptureMode mode) const noexcept override { return mode; }
  void begin_capture(gpu::StreamHandle) const override {}
  gpu::GraphHandle end_capture(gpu::StreamHandle) const noexcept override { return nullptr; }
  gpu::GraphExecHandle instantiate(gpu::GraphHandle) const override { return nullptr; }
  void upload(gpu::GraphExecHandle, gpu::StreamHandle) const override {}
  void launch(gpu::GraphExecHandle, gpu::StreamHandle) const override {}
  void destroy(gpu::GraphHandle) const noexcept override {}
  void destroy(gpu::GraphExecHandle) const noexcept override {}

  gpu::ModuleHandle load_module(const std::string&) const override {
    return reinterpret_cast<gpu::ModuleHandle>(std::uintptr_t{1});
  }
  void unload(gpu::ModuleHandle) const noexcept override {}
  gpu::FunctionHandle function(gpu::ModuleHandle, const std::string&) const override {
    return reinterpret_cast<gpu::FunctionHandle>(std::uintptr_t{1});
  }
  void allow_shared_bytes(gpu::FunctionHandle, int) const override {}
  void launch(gpu::FunctionHandle, const LaunchShape&, gpu::StreamHandle,
              std::span<const std::byte* const>) const override {}
  TensorMap tensor_map(const std::byte*, const TensorExtent&) const override { fail(ErrorCode::unsupported, "no TMA"); }

 private:
  DeviceKind kind_;
};

}  // namespace gemmtune
