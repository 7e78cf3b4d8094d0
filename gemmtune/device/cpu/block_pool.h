// Reuses large blocks of memory. The operating system takes longer to map and clear fresh pages than a tuning run takes
// to fill them, and a tuning run wants blocks of about the same sizes for each candidate.
//
// Not for small buffers, which the C library's own lists serve well.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace gemmtune {

class BlockPool {
 public:
  /// A block for which `size` bytes were requested and `capacity` bytes are there.
  struct Block {
    std::byte* data{};
    std::size_t size{};
    std::size_t capacity{};
  };

  /// The size of a huge page. The capacity of a block is a multiple of it.
  static constexpr std::size_t unit = std::size_t{2} << 20;

  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// Returns a block that is aligned to `unit`: the smallest kept block that is at most a quarter too large, or else a
  /// fresh one. Its data is null if there is no memory. A sanitizer detects accesses beyond `size`. The contents are
  /// arbitrary.
  Block take(std::size_t size);

  /// Keeps the block for later calls of take(). Kept and used blocks together never exceed the most memory that was in
  /// use at once; the blocks that were kept longest are freed first.
  void give_back(const Block& block);

  std::size_t kept_bytes() const;

 private:
  Block take_kept(std::size_t size);
  Block take_fresh(std::size_t size);
  void drop_kept(std::size_t most_bytes);

  mutable std::mutex mutex_;
  std::vector<Block> kept_;  // the block that was kept longest comes first
  std::size_t kept_bytes_{};
  std::size_t used_bytes_{};
  std::size_t most_used_bytes_{};
};

}  // namespace gemmtune
