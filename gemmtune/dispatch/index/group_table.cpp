#include "gemmtune/dispatch/index/group_table.h"

#include <algorithm>
#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t first_size = 64;  // a power of two

}  // namespace

void RowGroup::count_row(std::uint32_t m) {
  ++count;
  const auto said = static_cast<std::uint16_t>(std::min<std::uint32_t>(count, most));
  for (auto width = static_cast<std::size_t>(std::bit_width(m)); width < octaves.size(); ++width) octaves[width] = said;
}

GroupTable::GroupTable() : groups_(first_size), mask_(first_size - 1) {}

RowGroup& GroupTable::at_or_new(const LookupKey& key) {
  if (2 * (size_ + 1) > groups_.size()) grow();  // at most half full, so that the absence of a key is noticed soon
  auto& group = place_for(key);
  if (group.key.types == 0) {
    group.key = key;
    ++size_;
  }
  return group;
}

RowGroup& GroupTable::place_for(const LookupKey& key) {
  auto at = hash(key) & mask_;
  while (groups_[at].key.types != 0 && groups_[at].key != key) at = (at + 1) & mask_;
  return groups_[at];
}

void GroupTable::grow() {
  const auto old = std::exchange(groups_, std::vector<RowGroup>(2 * groups_.size()));
  mask_ = groups_.size() - 1;
  for (const auto& group : old)
    if (group.key.types != 0) place_for(group.key) = group;
}

}  // namespace gemmtune
