// The stream of one launch: a stream that belongs to the program, and the first failure that the launch reports. It
// allocates nothing, and is made anew for each launch.
//
// For work that waits for the stream, use GpuStream (device/gpu/gpu_stream.h).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "gemmtune/device/device.h"

namespace gemmtune {

class LaunchStream final : public Stream {
 public:
  /// `native` is the vendor's own stream; null on a CPU, and for the default stream.
  LaunchStream(DeviceKind kind, void* native) noexcept : kind_(kind), native_(native) {}

  /// On a CPU nothing is left to wait for. Throws Error{unsupported} with the failure that was reported.
  void synchronize() override;
  void report_failure(std::string_view message) noexcept override;
  DeviceKind kind() const noexcept override { return kind_; }
  void* native_handle() const noexcept override { return native_; }

  bool has_failed() const noexcept { return has_failed_; }
  /// The first failure, cut to what fits.
  std::string_view failure() const noexcept { return {text_.data(), size_}; }

 private:
  DeviceKind kind_;
  void* native_;
  bool has_failed_{};
  std::size_t size_{};
  std::array<char, 256> text_;  // only the first size_ characters are set
};

}  // namespace gemmtune
