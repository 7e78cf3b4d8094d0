// Large blocks of memory that are used again: mapping and clearing fresh pages takes the kernel longer than filling
// them takes a tuning run, which wants blocks of about the same sizes for each candidate.
//
// Not for small buffers, which the C library's own lists serve well.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace gemmtune {

class BlockPool {
 public:
  /// `size` bytes were asked for, `capacity` are there.
  struct Block {
    std::byte* data{};
    std::size_t size{};
    std::size_t capacity{};
  };

  /// Huge pages are of this size, and so are the units of blocks.
  static constexpr std::size_t unit = std::size_t{2} << 20;

  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// A block aligned to a unit: the tightest of those kept that is no more than a quarter too large, or a fresh one;
  /// data is null when there is no memory. A sanitizer sees what runs over `size`. Contents are arbitrary.
  Block take(std::size_t size);

  /// Keeps the block. What is kept and what is in use never come to more than the most that was in use at once: when
  /// they would, those kept longest go.
  void give_back(const Block& block);

  std::size_t kept_bytes() const;

 private:
  Block take_kept(std::size_t size);
  Block take_fresh(std::size_t size);
  void drop_kept(std::size_t most_bytes);

  mutable std::mutex mutex_;
  std::vector<Block> kept_;  // the one kept longest first
  std::size_t kept_bytes_{};
  std::size_t used_bytes_{};
  std::size_t most_used_bytes_{};
};

}  // namespace gemmtune
