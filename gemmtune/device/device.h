// A device as the tuner uses it: memory, order of execution, time. Families see only Stream and plain addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// Device memory that frees itself. It is aligned to at least 256 bytes.
class Buffer {
 public:
  using Release = std::function<void(std::byte*)>;

  Buffer() = default;
  Buffer(std::byte* data, std::size_t size, Release release) : data_(data), size_(size), release_(std::move(release)) {}
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }
  void reset() {
    if (data_ != nullptr) release_(data_);
  }

  std::byte* data_{};
  std::size_t size_{};
  Release release_{};
};

/// Runs launches in order. On a CPU, a launch is finished when its call returns.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Waits for all launches. Throws Error{unsupported} with the first failure that a launch reported.
  virtual void synchronize() = 0;

  /// Reports a failure from PreparedGemm::launch, which may not throw. The stream keeps the first message.
  virtual void report_failure(std::string_view message) noexcept = 0;

  /// The kind of the device that the stream belongs to.
  virtual DeviceKind kind() const noexcept { return DeviceKind::cpu; }

  /// The stream of the vendor's own interface (CUstream, hipStream_t); null on a CPU.
  virtual void* native_handle() const noexcept { return nullptr; }
};

/// Times launches on the device itself.
class Timer {
 public:
  /// The work of launch i. Operands repeat with `period`: launch i + period does the same work on the same memory as
  /// launch i. A period of 0 means that they may never repeat.
  struct Launch {
    std::function<void(std::int64_t)> run{};
    std::int64_t period{};
    bool cold_instructions{};  // as after another kernel: timed singly, with its code in none of the device's caches

    void operator()(std::int64_t i) const { run(i); }
  };

  virtual ~Timer() = default;

  /// Runs launch(first), launch(first + 1), … and returns `count` device times of a launch, in microseconds. Where
  /// launches are too short to time singly, more of them run: each time is then the mean of several launches, none of
  /// which counts for another time, so that there are as many independent measurements as times. Throws
  /// Error{unsupported} for cold instructions if why_not_cold_instructions() gives a reason.
  virtual std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) = 0;

  /// Runs what time_us() runs, for `count` > 0 times that nobody counts. Returns roughly how long a launch takes, in
  /// microseconds.
  virtual double warm_up(const Launch& launch, std::int64_t first, std::int64_t count) {
    return time_us(launch, first, count).back();
  }
};

/// Why launches on a device of this kind cannot be timed with cold instructions; "" if they can.
std::string why_not_cold_instructions(DeviceKind kind);

/// What the device reports about its clock at this moment. Values that it does not report are zero.
struct ClockReading {
  double clock_mhz{};
  bool throttled{};
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;

  /// Throws Error{io} with the number of bytes if there is not enough memory.
  virtual Buffer allocate(std::size_t bytes) = 0;

  /// Memory for what kernels write, in whole pages. Where fence_bytes() is not 0, so many bytes before and after it
  /// cannot be accessed: a kernel that does ends its process. A buffer of last resort may have no fence.
  virtual Buffer allocate_fenced(std::size_t bytes) { return allocate(bytes); }
  virtual std::size_t fence_bytes() const { return 0; }

  virtual void upload(std::span<const std::byte> from, std::byte* to) = 0;
  virtual void download(const std::byte* from, std::span<std::byte> to) = 0;
  virtual void copy(const std::byte* from, std::byte* to, std::size_t bytes) = 0;

  /// Copies the same bytes to several places.
  virtual void copy_to_each(const std::byte* from, std::span<std::byte* const> to, std::size_t bytes) {
    for (std::byte* each : to) copy(from, each, bytes);
  }

  /// Fills the memory with a pattern of two bytes, the low byte first.
  virtual void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern) = 0;

  virtual Stream& stream() = 0;
  virtual Timer& timer() = 0;
  virtual ClockReading read_clock() = 0;

  /// Whether the fault of a kernel has made the device unusable for this process. From then on every call fails, and
  /// only another process can use the device again.
  virtual bool lost() { return false; }
};

/// All devices of this machine that this build can use. The CPU comes first.
std::vector<DeviceInfo> list_devices();

/// What is known about the device "cpu", "cpu:0" or "cuda:1", without opening it. Throws Error{no_device}, which lists
/// the devices that exist.
DeviceInfo find_device(std::string_view id);

/// The same, searched among these devices.
DeviceInfo find_device(std::string_view id, std::span<const DeviceInfo> known);

/// Opens the device that find_device() finds.
std::unique_ptr<Device> open_device(std::string_view id);

}  // namespace gemmtune
