// Large copies between host and device memory by way of two blocks of pinned memory: while the device copies one block,
// the host fills or empties the other. A driver does the same for memory that is not pinned, but with one thread and at
// a fraction of the link's speed.
//
// Staging knows no driver. It works through a PinnedLink; gpu_pinned_link.h is the one for GPUs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gemmtune {

/// What staging needs of a device: pinned memory, and copies from and to it that end in the order in which they began.
/// Each copy belongs to block 0 or 1, and wait() waits for the copies of one block.
class PinnedLink {
 public:
  virtual ~PinnedLink() = default;

  /// Null if there is no pinned memory left.
  virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(std::byte* memory) noexcept = 0;

  /// These return at once. The device uses the block's memory until wait() has returned for that block.
  virtual void begin_upload(std::size_t block, std::span<const std::byte> from, std::byte* to) = 0;
  virtual void begin_download(std::size_t block, const std::byte* from, std::span<std::byte> to) = 0;

  /// Waits until all copies that began with this block have ended.
  virtual void wait(std::size_t block) = 0;
};

struct StagingSizes {
  std::size_t block_bytes{std::size_t{4} << 20};
  std::size_t least_bytes{std::size_t{4} << 20};  // shorter copies gain nothing: threads and waits cost more
};

class Staging {
 public:
  explicit Staging(PinnedLink& link, const StagingSizes& sizes = {});
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Whether this class handles copies of this size. The first such call allocates the blocks; without pinned memory,
  /// the answer is always no.
  [[nodiscard]] bool takes(std::size_t bytes);

  /// For sizes that takes() accepts. They return when all bytes have been copied.
  void upload(std::span<const std::byte> from, std::byte* to);
  void download(const std::byte* from, std::span<std::byte> to);

 private:
  enum class Blocks : std::uint8_t { not_yet_asked_for, had, refused };
  static constexpr std::size_t block_count = 2;

  Blocks ask_for_blocks();
  void release_blocks() noexcept;
  void settle(std::size_t block);

  PinnedLink* link_;
  StagingSizes sizes_;
  Blocks state_{};
  std::array<std::byte*, block_count> blocks_{};
  std::array<bool, block_count> under_way_{};
};

}  // namespace gemmtune
