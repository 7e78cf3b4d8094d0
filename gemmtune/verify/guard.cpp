#include "gemmtune/verify/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gemmtune {
namespace {

constexpr std::size_t piece = 4096;  // also what pages are made of
constexpr std::size_t most_watched = std::size_t{16} << 20;
using Guard = std::array<std::byte, piece>;

std::size_t whole_pieces(std::size_t bytes) { return (bytes + piece - 1) / piece * piece; }

/// Not constant, and without a period that tiles have, so that few stray writes reproduce it.
Guard make_guard() {
  Guard guard{};
  for (std::size_t i = 0; i < piece; ++i) guard[i] = static_cast<std::byte>((i * 167 + i / 251 + 41) & 0xffU);
  return guard;
}

std::vector<std::byte> intact_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count; at += piece)
    std::memcpy(bytes.data() + at, intact_guard().data(), std::min(piece, count - at));
  return bytes;
}

/// Which bytes of a guard were changed: the first, the last, and how many.
struct Damage {
  std::size_t first{};
  std::size_t last{};
  std::size_t count{};

  void add(std::size_t place) {
    if (count == 0) first = place;
    last = place;
    ++count;
  }
};

Damage damage_of(std::span<const std::byte> found) {
  const auto intact = intact_guard();
  Damage damage{};
  for (std::size_t at = 0; at < found.size(); at += piece) {
    const auto here = found.subspan(at, std::min(piece, found.size() - at));
    if (std::memcmp(here.data(), intact.data(), here.size()) == 0) continue;
    for (std::size_t i = 0; i < here.size(); ++i)
      if (here[i] != intact[i]) damage.add(at + i);
  }
  return damage;
}

Damage damage_of(Device& device, const std::byte* from, std::size_t bytes) {
  std::vector<std::byte> found(bytes);
  device.download(from, found);
  return damage_of(found);
}

std::string describe(std::size_t distance, std::string_view side, const Damage& damage, std::size_t guard_bytes) {
  return fmt::format("byte {} {} was overwritten, {} of its guard's {} bytes in all", distance, side, damage.count,
                     guard_bytes);
}

}  // namespace

std::span<const std::byte> intact_guard() {
  static const Guard guard = make_guard();
  return guard;
}

GuardedBuffer::GuardedBuffer(Device& device, std::size_t size, std::size_t watched) {
  if (size == 0) return;
  const bool is_fenced = device.fence_bytes() > 0;
  before_ = is_fenced ? piece : std::clamp(whole_pieces(watched), piece, most_watched);
  const auto bytes = size + 2 * before_;
  buffer_ = device.allocate_fenced(is_fenced ? whole_pieces(bytes) : bytes);
  size_ = size;
  after_ = buffer_.size() - before_ - size;
  restore(device);
}

GuardedBuffer::GuardedBuffer(Device& device, Buffer storage) : buffer_(std::move(storage)) {
  if (buffer_.size() <= 2 * piece) return;
  before_ = after_ = piece;
  size_ = buffer_.size() - 2 * piece;
  restore(device);
}

void GuardedBuffer::restore(Device& device) {
  if (size_ == 0) return;
  device.upload(intact_bytes(before_), buffer_.data());
  device.upload(intact_bytes(after_), data() + size_);
}

std::size_t GuardedBuffer::storage_bytes(std::size_t size) { return size + 2 * piece; }

std::byte* GuardedBuffer::data() const { return size_ == 0 ? nullptr : buffer_.data() + before_; }

std::vector<const std::byte*> GuardedBuffer::guards() const {
  std::vector<const std::byte*> pieces;
  for (std::size_t at = 0; at + piece <= before_; at += piece) pieces.push_back(buffer_.data() + at);
  for (std::size_t at = 0; at + piece <= after_; at += piece) pieces.push_back(data() + size_ + at);
  return pieces;
}

std::string GuardedBuffer::why_broken(Device& device) const {
  if (size_ == 0) return {};
  const Damage before = damage_of(device, buffer_.data(), before_);
  if (before.count > 0) return describe(before_ - before.last, "before the start", before, before_);
  const Damage after = damage_of(device, data() + size_, after_);
  if (after.count > 0) return describe(after.first + 1, "after the end", after, after_);
  return {};
}

}  // namespace gemmtune
