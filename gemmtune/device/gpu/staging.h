// Large copies between the host's memory and a device's, by way of two blocks of pinned memory: while the device copies
// one, the host fills or empties the other. A driver does the same for memory that is not pinned, but with one thread
// and at a fraction of the link's speed.
//
// Knows no driver: what it asks of one is PinnedLink (gpu_pinned_link.h is the GPU's).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gemmtune {

/// What staging asks of a device: pinned memory, and copies from and to it that end in the order they began in. They
/// belong to a block, 0 or 1, by which they are waited for.
class PinnedLink {
 public:
  virtual ~PinnedLink() = default;

  /// Null where there is none to be had.
  virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(std::byte* memory) noexcept = 0;

  /// Return at once: until the block has been waited for, its memory is the device's.
  virtual void begin_upload(std::size_t block, std::span<const std::byte> from, std::byte* to) = 0;
  virtual void begin_download(std::size_t block, const std::byte* from, std::span<std::byte> to) = 0;

  /// Until the copies that began with this block have ended.
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

  /// Whether copies of so many bytes are for this class. The first of them gets the blocks; where there is no pinned
  /// memory none is.
  [[nodiscard]] bool takes(std::size_t bytes);

  /// For what it takes. Return when all bytes are there.
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
