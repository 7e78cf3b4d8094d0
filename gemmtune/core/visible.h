// Shows foreign text: what tables, stores, logs, models and workers say ends up in reports and messages.
// Not for CSV and JSON, which keep every byte; core/json.h escapes by the same rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// Foreign text (from tables, stores, logs, other programs) that is safe to show on a terminal: whatever a terminal
/// could obey, or what hides or turns around the text beside it, appears as \xNN or \u{NNNN}, and so do bytes that are
/// not UTF-8. Everything else stays as it is.
std::string visible(std::string_view foreign);

/// The same for text of several lines: line ends and tabs stay.
std::string visible_lines(std::string_view foreign);

/// Whether visible() leaves the text as it is.
bool is_visible(std::string_view text);

/// Several lines as one: those that are not blank, trimmed, made visible and joined by " | ". A text of more than
/// `limit` bytes is cut, and its length is added.
std::string visible_line(std::string_view foreign, std::size_t limit = 4000);

/// visible() of at most `limit` bytes; a longer text is cut, and its length is added: "abc… (5000 bytes)".
std::string visible_start(std::string_view foreign, std::size_t limit = 200);

}  // namespace gemmtune
