// A device that passes its calls on to another one, for tests that change a part of it.
#pragma once

#include <memory>
#include <utility>

#include "gemmtune/device/device.h"

namespace gemmtune {

class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}

  const DeviceInfo& info() const override { return inner_->info(); }
  Buffer allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void upload(std::span<const std::byte> from, std::byte* to) override { inner_->upload(from, to); }
  void download(const std::byte* from, std::span<std::byte> to) override { inner_->download(from, to); }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes) override { inner_->copy(from, to, bytes); }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern) override { inner_->fill(to, bytes, pattern); }
  Stream& stream() override { return inner_->stream(); }
  Timer& timer() override { return inner_->timer(); }
  ClockReading read_clock() override { return inner_->read_clock(); }

 private:
  std::unique_ptr<Device> inner_;
};

/// A device that is lost as soon as a launch reports a failure, like a GPU whose context a fault has ended.
class FragileDevice final : public ForwardingDevice {
 public:
  explicit FragileDevice(std::unique_ptr<Device> inner)
      : ForwardingDevice(std::move(inner)), stream_(ForwardingDevice::stream()) {}

  Stream& stream() override { return stream_; }
  bool lost() override { return stream_.failed; }

 private:
  struct FragileStream final : Stream {
    explicit FragileStream(Stream& of) : inner(of) {}
    void synchronize() override { inner.synchronize(); }
    void report_failure(std::string_view message) noexcept override {
      failed = true;
      inner.report_failure(message);
    }
    Stream& inner;
    bool failed{};
  };

  FragileStream stream_;
};

}  // namespace gemmtune
