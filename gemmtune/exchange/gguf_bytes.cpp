#include "gemmtune/exchange/gguf_bytes.h"

#include <array>

namespace gemmtune {

GgufBytes::GgufBytes(std::istream& stream, std::uint64_t bytes, std::string source)
    : stream_(stream), bytes_(bytes), source_(std::move(source)) {}

void GgufBytes::need(std::uint64_t bytes, std::string_view what) const {
  if (bytes > left())
    wrong("found {} more bytes, expected {} of {}: the file is cut off or damaged", left(), bytes, what);
}

std::uint64_t GgufBytes::number(unsigned width, std::string_view what) {
  need(width, what);
  std::array<char, 8> raw{};
  stream_.read(raw.data(), width);
  if (!stream_) wrong("{} cannot be read", what);
  std::uint64_t value = 0;
  for (unsigned i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
  at_ += width;
  return value;
}

std::uint64_t GgufBytes::count(std::uint64_t smallest_element, std::string_view what) {
  const auto found = u64(what);
  if (found > left() / smallest_element)
    wrong("found {} as {}, more than fit into the {} bytes that are left", found, what, left());
  return found;
}

std::string GgufBytes::text(std::uint64_t limit, std::string_view what) {
  const auto length = count(1, what);
  if (length > limit) wrong("found {} of {} bytes, expected at most {}", what, length, limit);
  std::string text(length, '\0');
  stream_.read(text.data(), static_cast<std::streamsize>(length));
  if (!stream_) wrong("{} cannot be read", what);
  at_ += length;
  return text;
}

void GgufBytes::skip_text(std::string_view what) { skip(count(1, what), what); }

void GgufBytes::skip(std::uint64_t bytes, std::string_view what) {
  need(bytes, what);
  if (bytes > 0) stream_.ignore(static_cast<std::streamsize>(bytes));
  if (!stream_) wrong("{} cannot be read", what);
  at_ += bytes;
}

}  // namespace gemmtune
