#include "gemmtune/core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// One character of UTF-8, or one byte that belongs to none.
struct Piece {
  std::string_view bytes{};
  std::uint32_t code_point{};
  bool is_valid{};
};

constexpr std::array<std::uint32_t, 5> least_of_length{0, 0, 0x80, 0x800, 0x10000};

std::size_t announced_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool is_character(std::uint32_t code_point, std::size_t length) {
  const bool is_surrogate = code_point >= 0xd800 && code_point < 0xe000;
  return code_point >= least_of_length[length] && code_point <= 0x10ffff && !is_surrogate;
}

Piece first_piece(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = announced_length(first);
  const Piece broken{.bytes = text.substr(0, 1)};
  if (length == 0 || length > text.size()) return broken;
  std::uint32_t code_point = length == 1 ? first : first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return broken;
    code_point = code_point << 6U | (next & 0x3fU);
  }
  if (!is_character(code_point, length)) return broken;
  return {text.substr(0, length), code_point, true};
}

struct CodePoints {
  std::uint32_t first{};
  std::uint32_t last{};
};

/// Control characters, and what Unicode counts as format characters or as separators of lines and paragraphs.
constexpr CodePoints unprintable[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
                                      {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                      {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool shows_itself(const Piece& piece) {
  const auto holds = [&](const CodePoints& range) {
    return piece.code_point >= range.first && piece.code_point <= range.last;
  };
  return piece.is_valid && std::none_of(std::begin(unprintable), std::end(unprintable), holds);
}

/// At most `limit` bytes, without a part of a character at the end.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

}  // namespace

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    if (!shows_itself(piece)) return false;
    text.remove_prefix(piece.bytes.size());
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    if (shows_itself(piece)) {
      shown += piece.bytes;
    } else {
      for (const char byte : piece.bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(piece.bytes.size());
  }
  return shown;
}

std::string printable_line(std::string_view text, std::size_t limit) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(cut(text, limit), '\n'))
    if (const auto content = trim(line); !content.empty()) lines.push_back(printable(content));
  std::string joined = join(lines, " | ");
  if (text.size() > limit) joined += fmt::format("… ({} bytes)", text.size());
  return joined;
}

}  // namespace gemmtune
