// Reads little-endian values from a stream of known size, and refuses to go past its end.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "gemmtune/core/error.h"

namespace gemmtune {

class GgufBytes {
 public:
  /// The stream must outlive the reader.
  GgufBytes(std::istream& stream, std::uint64_t bytes, std::string source);

  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return bytes_ - at_; }

  /// An unsigned number of 1 to 8 bytes.
  std::uint64_t number(unsigned width, std::string_view what);
  std::uint32_t u32(std::string_view what) { return static_cast<std::uint32_t>(number(4, what)); }
  std::uint64_t u64(std::string_view what) { return number(8, what); }

  /// The length of something whose elements have at least this many bytes each, checked against what is left.
  std::uint64_t count(std::uint64_t smallest_element, std::string_view what);

  /// A string of at most `limit` bytes.
  std::string text(std::uint64_t limit, std::string_view what);
  void skip_text(std::string_view what);
  void skip(std::uint64_t bytes, std::string_view what);

  /// Throws "model.gguf: byte 24: " and the message.
  template <typename... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> message, Args&&... args) const {
    fail(ErrorCode::input, "{}: byte {}: {}", source_, at_, fmt::format(message, std::forward<Args>(args)...));
  }

 private:
  void need(std::uint64_t bytes, std::string_view what) const;

  std::istream& stream_;
  std::uint64_t bytes_{};
  std::uint64_t at_{};
  std::string source_;
};

}  // namespace gemmtune
