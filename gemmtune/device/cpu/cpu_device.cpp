#include "gemmtune/device/cpu/cpu_device.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"
#include "gemmtune/device/cpu/block_pool.h"
#include "gemmtune/device/cpu/cpu_clock.h"
#include "gemmtune/device/cpu/cpu_timer.h"
#include "gemmtune/device/cpu/fenced_block.h"
#include "gemmtune/device/cpu/streaming_copy.h"

namespace gemmtune {
namespace {

constexpr std::size_t small_alignment = 256;

/// Copies are made in pieces of this size, so that a piece that goes to many places stays in the L2 cache meanwhile.
constexpr std::int64_t copy_piece = std::int64_t{256} << 10;

/// The number of pieces that a thread takes at a time. For fewer, starting a thread would cost more than copying.
constexpr std::int64_t pieces_at_once = 16;

/// Calls work(piece, place) for each piece and each place.
template <typename Work>
void for_pieces(std::span<const std::byte> bytes, std::size_t places, const Work& work) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto count = static_cast<std::int64_t>(places);
  const auto pieces = (size + copy_piece - 1) / copy_piece;
  parallel_pieces(pieces * count, pieces_at_once, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto begin = i / count * copy_piece;
      work(bytes.subspan(begin, std::min(copy_piece, size - begin)), i % count);
    }
  });
}

/// Copies through the caches, for bytes that are used soon.
void copy_now(std::span<const std::byte> from, std::byte* to) {
  for_pieces(from, 1, [&](std::span<const std::byte> piece, std::size_t) {
    std::memcpy(to + (piece.data() - from.data()), piece.data(), piece.size());
  });
}

/// Allocates exactly this many bytes, so that a sanitizer detects accesses beyond them.
std::byte* allocate_small(std::size_t bytes) {
  void* data = nullptr;
  return posix_memalign(&data, small_alignment, bytes) == 0 ? static_cast<std::byte*>(data) : nullptr;
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
      message_.clear();  // no memory for the message, but the failure still counts
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
    auto buffer = fits(bytes) ? allocate_fitting(bytes) : Buffer{};
    if (buffer.data() == nullptr) fail(ErrorCode::io, "not enough memory for a buffer of {} bytes", bytes);
    return buffer;
  }

  Buffer allocate_fenced(std::size_t bytes) override {
    const auto block = bytes > 0 && fence_bytes_ > 0 && fits(bytes) ? map_fenced(bytes) : FencedBlock{};
    if (block.data == nullptr) return allocate(bytes);
    return {block.data, bytes, [block](std::byte*) { unmap(block); }};
  }

  std::size_t fence_bytes() const override { return fence_bytes_; }

  void upload(std::span<const std::byte> from, std::byte* to) override { copy_now(from, to); }
  void download(const std::byte* from, std::span<std::byte> to) override { copy_now({from, to.size()}, to.data()); }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes) override {
    copy_to_each(from, std::span(&to, 1), bytes);
  }

  void copy_to_each(const std::byte* from, std::span<std::byte* const> to, std::size_t bytes) override {
    for_pieces(std::span(from, bytes), to.size(), [&](std::span<const std::byte> piece, std::size_t place) {
      streaming_copy(piece, to[place] + (piece.data() - from));
    });
  }

  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern) override {
    const std::array each{static_cast<std::byte>(pattern & 0xffU), static_cast<std::byte>(pattern >> 8)};
    parallel_pieces(static_cast<std::int64_t>(bytes), pieces_at_once * copy_piece,
                    [&](std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last; ++i) to[i] = each[i % 2];
                    });
  }

  Stream& stream() override { return stream_; }
  Timer& timer() override { return timer_; }
  ClockReading read_clock() override { return clock_.read(); }

 private:
  /// The kernel grants more than there is and kills later; what cannot fit is refused before.
  bool fits(std::size_t bytes) const {
    return info_.memory_bytes == 0 || bytes <= static_cast<std::size_t>(info_.memory_bytes);
  }

  Buffer allocate_fitting(std::size_t bytes) {
    if (bytes < BlockPool::unit)
      return {allocate_small(bytes), bytes, [](std::byte* released) { std::free(released); }};
    const auto block = blocks_->take(bytes);
    // Buffers may outlive the device, so they share its pool.
    return {block.data, bytes, [blocks = blocks_, block](std::byte*) { blocks->give_back(block); }};
  }

  DeviceInfo info_;
  std::shared_ptr<BlockPool> blocks_{std::make_shared<BlockPool>()};
  std::size_t fence_bytes_{cpu_fence_bytes()};
  CpuStream stream_;
  CpuTimer timer_;
  CpuClock clock_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(DeviceInfo info) { return std::make_unique<CpuDevice>(std::move(info)); }

}  // namespace gemmtune
