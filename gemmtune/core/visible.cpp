#include "gemmtune/core/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

struct CodePoint {
  char32_t value{};
  std::size_t bytes{};  // 0: no UTF-8
};

/// The first character. Overlong forms, surrogates and values above 0x10ffff are no UTF-8.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  char32_t value = byte(0) & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < least[bytes] || is_surrogate || value > 0x10ffff ? CodePoint{} : CodePoint{value, bytes};
}

/// Control characters, and the invisible ones that break, join or turn around a line.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe0fff);
}

std::string visible_but(std::string_view foreign, std::string_view kept) {
  std::string shown;
  while (!foreign.empty()) {
    const auto [value, bytes] = first_code_point(foreign);
    const auto taken = std::max<std::size_t>(bytes, 1);
    if (bytes == 0 || (value < 0x80 && is_unsafe(value) && kept.find(foreign.front()) == std::string_view::npos))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(foreign.front()));
    else if (value >= 0x80 && is_unsafe(value))
      shown += fmt::format("\\u{{{:04x}}}", static_cast<std::uint32_t>(value));
    else
      shown += foreign.substr(0, taken);
    foreign.remove_prefix(taken);
  }
  return shown;
}

/// At most `limit` bytes, without a part of a character at the end.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  auto end = limit;
  while (end > 0 && limit - end < 4 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string length_if_cut(std::string_view text, std::size_t limit) {
  return text.size() > limit ? fmt::format("… ({} bytes)", text.size()) : "";
}

}  // namespace

std::string visible(std::string_view foreign) { return visible_but(foreign, ""); }
std::string visible_lines(std::string_view foreign) { return visible_but(foreign, "\n\t"); }

bool is_visible(std::string_view text) { return visible(text) == text; }

std::string visible_start(std::string_view foreign, std::size_t limit) {
  return visible(cut(foreign, limit)) + length_if_cut(foreign, limit);
}

std::string visible_line(std::string_view foreign, std::size_t limit) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(cut(foreign, limit), '\n'))
    if (const auto content = trim(line); !content.empty()) lines.push_back(visible(content));
  return join(lines, " | ") + length_if_cut(foreign, limit);
}

}  // namespace gemmtune
