#include "gemmtune/dispatch/group_table.h"

#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t first_size = 64;  // a power of two

}  // namespace

GroupTable::GroupTable() : slots_(first_size), mask_(first_size - 1) {}

RowRange& GroupTable::at_or_new(const LookupKey& key) {
  if (2 * (size_ + 1) > slots_.size()) grow();  // at most half full: a key that is not there is seen to be absent soon
  auto& slot = slot_for(key);
  if (slot.key.types == 0) {
    slot.key = key;
    ++size_;
  }
  return slot.rows;
}

GroupTable::Slot& GroupTable::slot_for(const LookupKey& key) {
  auto at = hash(key) & mask_;
  while (slots_[at].key.types != 0 && slots_[at].key != key) at = (at + 1) & mask_;
  return slots_[at];
}

void GroupTable::grow() {
  const auto old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  mask_ = slots_.size() - 1;
  for (const auto& slot : old)
    if (slot.key.types != 0) slot_for(slot.key) = slot;
}

}  // namespace gemmtune
