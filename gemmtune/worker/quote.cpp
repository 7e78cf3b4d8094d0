#include "gemmtune/worker/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemmtune/core/text.h"

namespace gemmtune {

namespace {

std::string printable(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

std::string quote(std::string_view bytes, std::size_t limit) {
  if (bytes.size() <= limit) return fmt::format("'{}'", printable(bytes));
  return fmt::format("'{}…' ({} bytes)", printable(bytes.substr(0, limit)), bytes.size());
}

std::string last_lines(std::string_view bytes, std::size_t count, std::size_t limit) {
  std::vector<std::string> kept;
  const auto lines = split(bytes, '\n');
  for (auto line = lines.rbegin(); line != lines.rend() && kept.size() < count; ++line) {
    if (const auto text = trim(*line); !text.empty()) kept.push_back(printable(text.substr(0, limit)));
  }
  std::reverse(kept.begin(), kept.end());
  std::string joined = join(kept, " | ");
  if (joined.size() > limit) joined.erase(0, joined.size() - limit);
  return joined;
}

}  // namespace gemmtune
