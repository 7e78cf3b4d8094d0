#include "gemmtune/device/gpu/staging.h"

#include <algorithm>
#include <cstring>

#include "gemmtune/core/parallel.h"

namespace gemmtune {
namespace {

/// The bytes that a thread copies at a time. One thread alone is slower than the link, and starting a thread takes as
/// long as copying some hundred kilobytes.
constexpr std::int64_t thread_bytes = std::int64_t{1} << 20;

void copy_on_host(std::span<const std::byte> from, std::byte* to) {
  parallel_pieces(std::ssize(from), thread_bytes, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
  });
}

/// Piece i of bytes that are cut into pieces of `size` bytes.
template <typename Byte>
std::span<Byte> piece_of(std::span<Byte> bytes, std::size_t size, std::size_t i) {
  return bytes.subspan(i * size, std::min(size, bytes.size() - i * size));
}

}  // namespace

Staging::Staging(PinnedLink& link, const StagingSizes& sizes) : link_(&link), sizes_(sizes) {}

Staging::~Staging() { release_blocks(); }

bool Staging::takes(std::size_t bytes) {
  if (bytes < sizes_.least_bytes) return false;
  if (state_ == Blocks::not_yet_asked_for) state_ = ask_for_blocks();
  return state_ == Blocks::had;
}

Staging::Blocks Staging::ask_for_blocks() {
  for (auto& block : blocks_) {
    block = link_->allocate_pinned(sizes_.block_bytes);
    if (block != nullptr) continue;
    release_blocks();
    return Blocks::refused;
  }
  return Blocks::had;
}

void Staging::release_blocks() noexcept {
  for (auto& block : blocks_) {
    if (block != nullptr) link_->release_pinned(block);
    block = nullptr;
  }
}

void Staging::settle(std::size_t block) {
  if (!under_way_[block]) return;
  link_->wait(block);
  under_way_[block] = false;
}

void Staging::upload(std::span<const std::byte> from, std::byte* to) {
  const auto size = sizes_.block_bytes;
  for (std::size_t i = 0; i * size < from.size(); ++i) {
    const auto block = i % block_count;
    const auto piece = piece_of(from, size, i);
    settle(block);
    copy_on_host(piece, blocks_[block]);
    link_->begin_upload(block, {blocks_[block], piece.size()}, to + i * size);
    under_way_[block] = true;
  }
  for (std::size_t block = 0; block < block_count; ++block) settle(block);
}

void Staging::download(const std::byte* from, std::span<std::byte> to) {
  const auto size = sizes_.block_bytes;
  const auto begin = [&](std::size_t i) {
    link_->begin_download(i % block_count, from + i * size, {blocks_[i % block_count], piece_of(to, size, i).size()});
    under_way_[i % block_count] = true;
  };
  const auto finish = [&](std::size_t i) {
    const auto piece = piece_of(to, size, i);
    settle(i % block_count);
    copy_on_host({blocks_[i % block_count], piece.size()}, piece.data());
  };
  const auto pieces = (to.size() + size - 1) / size;
  for (std::size_t i = 0; i < pieces; ++i) {
    begin(i);
    if (i > 0) finish(i - 1);
  }
  if (pieces > 0) finish(pieces - 1);
}

}  // namespace gemmtune
