#include "gemmtune/core/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gemmtune {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

/// Up to three bytes as four digits; those of missing bytes are "=".
void append_group(std::string& text, std::span<const std::byte> bytes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i)
    bits = bits << 8 | (i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0);
  for (std::size_t i = 0; i < 4; ++i) text += i <= bytes.size() ? digits[bits >> (18 - 6 * i) & 63] : '=';
}

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3)
    append_group(text, bytes.subspan(at, std::min<std::size_t>(3, bytes.size() - at)));
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int known = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const auto value = values[static_cast<unsigned char>(c)];
    if (value == no_digit) return std::nullopt;
    bits = bits << 6 | value;
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> known & 0xff));
  }
  const bool leaves_bits = (bits & ((1U << known) - 1U)) != 0;
  return leaves_bits ? std::nullopt : std::optional(std::move(bytes));
}

}  // namespace gemmtune
