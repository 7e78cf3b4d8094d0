#include "gemmtune/device/cpu/cpu_device.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"
#include "gemmtune/device/cpu/cpu_clock.h"
#include "gemmtune/device/cpu/cpu_timer.h"

namespace gemmtune {
namespace {

constexpr std::size_t small_alignment = 256;
constexpr std::size_t huge_page = 2 * 1024 * 1024;

/// Of exactly this size, so that a sanitizer sees what runs over. Large buffers ask for huge pages, so that a kernel's
/// strides do not rank it by misses of the TLB.
/// Rotation copies gigabytes into fresh pages, which one core does at a fraction of the memory's speed.
constexpr std::int64_t copy_grain = std::int64_t{4} << 20;

std::byte* allocate_aligned(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_page ? huge_page : small_alignment;
  void* data = nullptr;
  if (posix_memalign(&data, alignment, bytes) != 0) return nullptr;
  if (alignment == huge_page) madvise(data, bytes, MADV_HUGEPAGE);  // advice: may be refused
  return static_cast<std::byte*>(data);
}

class CpuStream final : public Stream {
 public:
  void synchronize() override {
    const std::lock_guard lock(mutex_);
    if (!failed_) return;
    failed_ = false;
    throw Error(ErrorCode::unsupported, std::exchange(message_, {}));
  }

  void report_failure(std::string_view message) noexcept override {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = true;
    try {
      message_ = message;
    } catch (...) {
      message_.clear();  // no memory for the words: that it failed still counts
    }
  }

 private:
  std::mutex mutex_;  // launches may report from any of their threads
  bool failed_{};
  std::string message_;
};

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(DeviceInfo info) : info_(std::move(info)), clock_(SystemTree{}) {}

  const DeviceInfo& info() const override { return info_; }

  Buffer allocate(std::size_t bytes) override {
    if (bytes == 0) return {};
    // The kernel grants more than there is and kills later; what cannot fit is refused here.
    const bool fits = info_.memory_bytes == 0 || bytes <= static_cast<std::size_t>(info_.memory_bytes);
    std::byte* data = fits ? allocate_aligned(bytes) : nullptr;
    if (data == nullptr) fail(ErrorCode::io, "not enough memory for a buffer of {} bytes", bytes);
    return {data, bytes, [](std::byte* released) { std::free(released); }};
  }

  void upload(std::span<const std::byte> from, std::byte* to) override { copy(from.data(), to, from.size()); }
  void download(const std::byte* from, std::span<std::byte> to) override { copy(from, to.data(), to.size()); }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes) override {
    parallel_pieces(static_cast<std::int64_t>(bytes), copy_grain, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
  }

  Stream& stream() override { return stream_; }
  Timer& timer() override { return timer_; }
  ClockReading read_clock() override { return clock_.read(); }

 private:
  DeviceInfo info_;
  CpuStream stream_;
  CpuTimer timer_;
  CpuClock clock_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(DeviceInfo info) { return std::make_unique<CpuDevice>(std::move(info)); }

}  // namespace gemmtune
