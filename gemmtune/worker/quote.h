// Foreign bytes made fit to be read: what a worker wrote goes into reasons, stores and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// In quotes, printable ASCII only, the rest as \xNN; cut after `limit` bytes of input, saying how many there were.
std::string quote(std::string_view bytes, std::size_t limit = 120);

/// The last `count` lines that are not blank, printable, joined by " | ", at most `limit` bytes of them.
std::string last_lines(std::string_view bytes, std::size_t count = 3, std::size_t limit = 400);

}  // namespace gemmtune
