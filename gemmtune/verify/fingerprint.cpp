#include "gemmtune/verify/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace gemmtune {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;  // fits into the second-level cache
constexpr std::size_t most_chunks = 256;                   // of one tensor: 64 MiB, spread over a larger tensor
constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;

/// Four independent chains, so that memory and not the multiplier sets the speed. Each step is a bijection of its
/// lane.
class Lanes {
 public:
  void add(std::span<const std::byte> bytes) {
    std::array<std::uint64_t, 4> word{};
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
      std::memcpy(word.data(), bytes.data(), sizeof word);
      mix(word);
    }
    if (bytes.empty()) return;
    word = {};
    std::memcpy(word.data(), bytes.data(), bytes.size());
    mix(word);
  }

  std::uint64_t value() const {
    std::uint64_t sum = 0;
    for (const auto lane : lanes_) sum = std::rotl(sum, 17) * odd + lane;
    return sum;
  }

 private:
  void mix(const std::array<std::uint64_t, 4>& word) {
    for (std::size_t i = 0; i < word.size(); ++i) lanes_[i] = std::rotl((lanes_[i] ^ word[i]) * odd, 29);
  }

  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
};

}  // namespace

std::uint64_t fingerprint(std::span<const std::byte> bytes) {
  Lanes lanes;
  lanes.add(bytes);
  return lanes.value();
}

std::uint64_t fingerprint(Device& device, const Buffer& buffer) {
  Lanes lanes;
  std::vector<std::byte> chunk(std::min(chunk_bytes, buffer.size()));
  const auto chunks = (buffer.size() + chunk_bytes - 1) / chunk_bytes;
  const auto read = std::min(chunks, most_chunks);
  for (std::size_t i = 0; i < read; ++i) {
    const auto start = (read == 1 ? 0 : i * (chunks - 1) / (read - 1)) * chunk_bytes;
    const auto piece = std::span(chunk).first(std::min(chunk.size(), buffer.size() - start));
    device.download(buffer.data() + start, piece);
    lanes.add(piece);
  }
  return lanes.value();
}

}  // namespace gemmtune
