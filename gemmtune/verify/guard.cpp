#include "gemmtune/verify/guard.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t guard_size = 4096;
using Guard = std::array<std::byte, guard_size>;

/// Not constant, and without a period that tiles have, so that few stray writes reproduce it.
Guard make_guard() {
  Guard guard{};
  for (std::size_t i = 0; i < guard_size; ++i) guard[i] = static_cast<std::byte>((i * 167 + i / 251 + 41) & 0xffU);
  return guard;
}

/// Which bytes of a guard were changed: the first, the last, and how many.
struct Damage {
  std::size_t first{};
  std::size_t last{};
  std::size_t count{};
};

Damage damage_of(const Guard& found) {
  const auto intact = intact_guard();
  if (std::memcmp(found.data(), intact.data(), guard_size) == 0) return {};
  Damage damage{};
  for (std::size_t i = 0; i < guard_size; ++i) {
    if (found[i] == intact[i]) continue;
    if (damage.count == 0) damage.first = i;
    damage.last = i;
    ++damage.count;
  }
  return damage;
}

Guard download_guard(Device& device, const std::byte* from) {
  Guard guard{};
  device.download(from, guard);
  return guard;
}

std::string describe(std::size_t distance, std::string_view side, const Damage& damage) {
  return fmt::format("byte {} {} was overwritten, {} of its guard's {} bytes in all", distance, side, damage.count,
                     guard_size);
}

}  // namespace

std::span<const std::byte> intact_guard() {
  static const Guard guard = make_guard();
  return guard;
}

GuardedBuffer::GuardedBuffer(Device& device, std::size_t size)
    : GuardedBuffer(device, size == 0 ? Buffer{} : device.allocate(storage_bytes(size))) {}

GuardedBuffer::GuardedBuffer(Device& device, Buffer storage) : buffer_(std::move(storage)) {
  if (buffer_.size() <= 2 * guard_size) return;
  size_ = buffer_.size() - 2 * guard_size;
  restore(device);
}

void GuardedBuffer::restore(Device& device) {
  if (size_ == 0) return;
  device.upload(intact_guard(), buffer_.data());
  device.upload(intact_guard(), data() + size_);
}

std::size_t GuardedBuffer::storage_bytes(std::size_t size) { return size + 2 * guard_size; }

std::byte* GuardedBuffer::data() const { return size_ == 0 ? nullptr : buffer_.data() + guard_size; }

std::vector<const std::byte*> GuardedBuffer::guards() const {
  if (size_ == 0) return {};
  return {buffer_.data(), data() + size_};
}

std::string GuardedBuffer::why_broken(Device& device) const {
  if (size_ == 0) return {};
  const Damage before = damage_of(download_guard(device, buffer_.data()));
  if (before.count > 0) return describe(guard_size - before.last, "before the start", before);
  const Damage after = damage_of(download_guard(device, data() + size_));
  if (after.count > 0) return describe(after.first + 1, "after the end", after);
  return {};
}

}  // namespace gemmtune
