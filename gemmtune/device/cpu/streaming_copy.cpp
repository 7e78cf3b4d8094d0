#include "gemmtune/device/cpu/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gemmtune {

#if defined(__SSE2__)

namespace {

constexpr std::size_t line = 64;

void stream_lines(const std::byte* from, std::byte* to, std::size_t count) {
  for (const std::byte* end = from + count * line; from != end; from += line, to += line) {
    const auto* in = reinterpret_cast<const __m128i*>(from);
    auto* out = reinterpret_cast<__m128i*>(to);
    const __m128i words[]{_mm_loadu_si128(in), _mm_loadu_si128(in + 1), _mm_loadu_si128(in + 2),
                          _mm_loadu_si128(in + 3)};
    for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, words[i]);
  }
  _mm_sfence();  // streaming stores are not ordered with other stores
}

}  // namespace

void streaming_copy(std::span<const std::byte> from, std::byte* to) {
  const auto past_line = reinterpret_cast<std::uintptr_t>(to) % line;
  const auto head = std::min(past_line == 0 ? 0 : line - past_line, from.size());
  const auto lines = (from.size() - head) / line;
  const auto tail = head + lines * line;
  std::memcpy(to, from.data(), head);
  stream_lines(from.data() + head, to + head, lines);
  std::memcpy(to + tail, from.data() + tail, from.size() - tail);
}

#else

void streaming_copy(std::span<const std::byte> from, std::byte* to) { std::memcpy(to, from.data(), from.size()); }

#endif

}  // namespace gemmtune
