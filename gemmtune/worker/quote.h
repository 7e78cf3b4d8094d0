// Makes foreign bytes printable. Text that a worker wrote ends up in reasons, stores and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// The bytes in quotes: printable ASCII as it is, every other byte as \xNN. Input longer than `limit` bytes is cut, and
/// the full length is appended.
std::string quote(std::string_view bytes, std::size_t limit = 120);

/// The last `count` lines that are not blank, made printable and joined by " | "; at most `limit` bytes.
std::string last_lines(std::string_view bytes, std::size_t count = 3, std::size_t limit = 400);

}  // namespace gemmtune
