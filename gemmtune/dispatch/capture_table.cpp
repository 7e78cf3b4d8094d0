#include "gemmtune/dispatch/capture_table.h"

#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t first_slots = 64;

/// Sums of products by odd constants are good in their upper half only.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0xbf58476d1ce4e5b9ULL;
  return value ^ (value >> 29);
}

std::uint64_t with_rest_of(const CapturedKey& key, std::uint64_t hash) {
  const auto rest = std::uint64_t{key.device} * match_kind_count + static_cast<std::uint64_t>(key.match);
  return hash ^ (rest * 0x9e3779b97f4a7c15ULL);
}

/// Only this thread writes: a load and a store, no locked instruction.
void increment(std::atomic<std::int64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

CaptureTable::CaptureTable() : slots_(first_slots) {}

void CaptureTable::count(const CapturedKey& key, std::uint64_t hash, const Answer& answer) {
  auto& entry = entry_for(key, with_rest_of(key, hash));
  increment(entry.calls);
  if (answer.choice == nullptr || !(answer.choice->time_us > 0)) return;
  entry.expected_us.store(answer.choice->time_us, std::memory_order_relaxed);
  entry.tuned_m.store(answer.tuned_m, std::memory_order_relaxed);
}

CaptureTable::Entry& CaptureTable::entry_for(const CapturedKey& key, std::uint64_t hash) {
  auto* slot = &slot_for(key, hash);
  if (slot->entry != nullptr) return *slot->entry;
  if (stored_.size() * 2 >= slots_.size()) {
    grow();
    slot = &slot_for(key, hash);
  }
  auto& entry = stored_.emplace_back();
  entry.key = key;
  entry.next = newest_.load(std::memory_order_relaxed);
  *slot = {hash, &entry};
  newest_.store(&entry, std::memory_order_release);
  return entry;
}

CaptureTable::Slot& CaptureTable::slot_for(const CapturedKey& key, std::uint64_t hash) {
  const auto mask = slots_.size() - 1;
  for (auto i = hash & mask;; i = (i + 1) & mask) {
    auto& slot = slots_[i];
    if (slot.entry == nullptr || (slot.hash == hash && slot.entry->key == key)) return slot;
  }
}

void CaptureTable::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  std::swap(slots_, larger);
  for (const auto& slot : larger)
    if (slot.entry != nullptr) slot_for(slot.entry->key, slot.hash) = slot;
}

std::uint64_t hash_of(const Problem& p) noexcept {
  const auto side = [](const Side& s) {
    return static_cast<std::uint64_t>(s.type) << 8 | static_cast<std::uint64_t>(s.scaling);
  };
  const auto types = side(p.a) << 48 | side(p.w) << 32 | static_cast<std::uint64_t>(p.out) << 16 |
                     static_cast<std::uint64_t>(p.bias) << 1 | static_cast<std::uint64_t>(p.packed);
  const auto sizes = static_cast<std::uint64_t>(p.m) * 0x9e3779b97f4a7c15ULL +
                     static_cast<std::uint64_t>(p.n) * 0xc2b2ae3d27d4eb4fULL +
                     static_cast<std::uint64_t>(p.k) * 0x165667b19e3779f9ULL +
                     static_cast<std::uint64_t>(p.batch) * 0xd6e8feb86659fd93ULL;
  return mixed(sizes + types * 0xa0761d6478bd642fULL);
}

}  // namespace gemmtune
