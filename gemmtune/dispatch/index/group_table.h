// Maps a key to its rows: a hash table with open addressing that is filled once and then only read. The position of a
// group's rows and their distribution over M share one cache line with the key.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gemmtune/dispatch/index/lookup_key.h"

namespace gemmtune {

/// The rows [first, first + count) of an index, ascending in M.
struct alignas(64) RowGroup {
  LookupKey key{};  // types is 0 in a free slot of the table
  std::uint32_t first{};
  std::uint32_t count{};
  std::array<std::uint16_t, 16>
      octaves{};  // [w]: the number of rows whose M has at most w bits; counts above 65535 are not stored

  /// Appends a row. Its M must not be less than that of the row before.
  void count_row(std::uint32_t m);

  /// The range of the group's rows within M's octave.
  struct Span {
    std::uint32_t begin{};
    std::uint32_t end{};
  };
  Span octave_of(std::int64_t m) const noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(m)));
    if (width >= octaves.size()) return {octaves.back(), count};
    const std::uint32_t end = octaves[width];
    return {width == 0 ? 0U : octaves[width - 1], end == most ? count : end};
  }

 private:
  static constexpr std::uint16_t most = std::numeric_limits<std::uint16_t>::max();
};

class GroupTable {
 public:
  GroupTable();

  /// The group of the key, new and empty if there was none. Valid until the next insertion.
  RowGroup& at_or_new(const LookupKey& key);

  /// Null for a key that was never inserted.
  const RowGroup* find(const LookupKey& key) const noexcept {
    for (auto at = hash(key) & mask_;; at = (at + 1) & mask_) {
      const auto& group = groups_[at];
      if (group.key == key) return &group;
      if (group.key.types == 0) return nullptr;
    }
  }

  std::size_t size() const { return size_; }

 private:
  static std::uint64_t hash(const LookupKey& key) noexcept {
    auto h = (key.device ^ key.sizes * 0x9E3779B97F4A7C15ULL) + key.types * 0xC2B2AE3D27D4EB4FULL;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
  }

  RowGroup& place_for(const LookupKey& key);
  void grow();

  std::vector<RowGroup> groups_;
  std::uint64_t mask_;
  std::size_t size_{};
};

}  // namespace gemmtune
