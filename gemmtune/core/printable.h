// Makes text of unknown origin fit for terminals, logs and tables: one line, without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// Whether the text is UTF-8 without control characters (C0, DEL, C1) and without the invisible characters that break
/// lines or turn the direction of text. Such a text changes nothing but its own place on a terminal.
bool is_printable(std::string_view text);

/// The same text, with each byte of what is not printable written as \xNN.
std::string printable(std::string_view text);

/// Several lines as one: those that are not blank, trimmed, made printable and joined by " | ". A text of more than
/// `limit` bytes is cut, and its length is appended.
std::string printable_line(std::string_view text, std::size_t limit = 4000);

}  // namespace gemmtune
