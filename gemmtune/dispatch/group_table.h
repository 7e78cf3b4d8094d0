// From a key to the rows that have it: a hash table with open addressing that is filled once and then only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gemmtune/dispatch/lookup_key.h"

namespace gemmtune {

/// Rows [first, first + count) of an index.
struct RowRange {
  std::uint32_t first{};
  std::uint32_t count{};
};

class GroupTable {
 public:
  GroupTable();

  /// A reference good until the next insertion; a new key's range is empty.
  RowRange& at_or_new(const LookupKey& key);

  /// The key's rows; none for a key that was never inserted.
  RowRange find(const LookupKey& key) const noexcept {
    for (auto at = hash(key) & mask_;; at = (at + 1) & mask_) {
      const auto& slot = slots_[at];
      if (slot.key == key) return slot.rows;
      if (slot.key.types == 0) return {};
    }
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    LookupKey key{};  // types is 0 in a free one
    RowRange rows{};
  };

  static std::uint64_t hash(const LookupKey& key) noexcept {
    auto h = (key.device ^ key.sizes * 0x9E3779B97F4A7C15ULL) + key.types * 0xC2B2AE3D27D4EB4FULL;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
  }

  Slot& slot_for(const LookupKey& key);
  void grow();

  std::vector<Slot> slots_;
  std::uint64_t mask_;
  std::size_t size_{};
};

}  // namespace gemmtune
