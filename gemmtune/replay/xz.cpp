#include "gemmtune/replay/xz.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// Far more than any recording takes. A file that needs more is no recording.
constexpr std::uint64_t most_memory = 256ULL << 20;

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }
std::uint8_t* bytes_of(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

}  // namespace

std::string compress_xz(std::string_view text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t used = 0;
  constexpr std::uint32_t preset = 9 | LZMA_PRESET_EXTREME;
  const auto result = lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, nullptr, bytes_of(text), text.size(),
                                              bytes_of(bytes), &used, bytes.size());
  if (result != LZMA_OK) fail(ErrorCode::internal, "liblzma cannot compress: error {}", static_cast<int>(result));
  bytes.resize(used);
  return bytes;
}

// The length of the text is at the end of the file, which is missing in files that were cut off. So the buffer grows
// until it is large enough.
std::string decompress_xz(std::string_view bytes, const std::string& source) {
  for (std::size_t room = std::max<std::size_t>(16 * bytes.size(), 4096); room < most_memory; room *= 4) {
    std::string text(room, '\0');
    std::uint64_t memory = most_memory;
    std::size_t read = 0;
    std::size_t written = 0;
    const auto result = lzma_stream_buffer_decode(&memory, 0, nullptr, bytes_of(bytes), &read, bytes.size(),
                                                  bytes_of(text), &written, text.size());
    if (result == LZMA_BUF_ERROR && written == room) continue;
    if (result == LZMA_BUF_ERROR && read < bytes.size()) continue;
    if (result != LZMA_OK) fail(ErrorCode::input, "{} is no .xz file, or is damaged or cut off", source);
    text.resize(written);
    return text;
  }
  fail(ErrorCode::input, "{} is no recording: its text is longer than {} bytes", source, most_memory);
}

}  // namespace gemmtune
