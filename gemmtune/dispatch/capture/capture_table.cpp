#include "gemmtune/dispatch/capture/capture_table.h"

namespace gemmtune {

CaptureTable::CaptureTable() : slots_(std::size_t{1} << first_bits) {}

void CaptureTable::count(const CapturedKey& key, std::uint64_t hash, const Answer& answer) {
  auto* found = slot_for(key, hash);
  auto& entry = found != nullptr ? *found : new_entry(key, hash);
  increment(entry.calls);
  entry.promise = promise_of(answer);
  if (answer.choice == nullptr || !(answer.choice->time_us > 0)) return;
  entry.expected_us.store(answer.choice->time_us, std::memory_order_relaxed);
  entry.tuned_m.store(answer.tuned_m, std::memory_order_relaxed);
}

CaptureTable::Entry& CaptureTable::new_entry(const CapturedKey& key, std::uint64_t hash) {
  if ((stored_.size() + 1) * 4 > slots_.size()) grow();
  auto& entry = stored_.emplace_back();
  entry.key = key;
  entry.hash = hash;
  entry.next = newest_.load(std::memory_order_relaxed);
  slot_for(key, hash) = &entry;
  newest_.store(&entry, std::memory_order_release);
  return entry;
}

/// The slot of the key, or the free slot where the key belongs.
CaptureTable::Entry*& CaptureTable::slot_for(const CapturedKey& key, std::uint64_t hash) noexcept {
  auto at = hash >> shift_;
  while (slots_[at] != nullptr && slots_[at]->key != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at];
}

void CaptureTable::grow() {
  slots_ = std::vector<Entry*>(slots_.size() * 2);
  --shift_;
  for (auto& entry : stored_) slot_for(entry.key, entry.hash) = &entry;
}

}  // namespace gemmtune
