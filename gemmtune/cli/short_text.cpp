#include "gemmtune/cli/short_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "gemmtune/core/text.h"

namespace gemmtune {

std::string human_time(double time_us) {
  if (time_us < 1e3) return fmt::format("{:.4g} us", time_us);
  if (time_us < 1e6) return fmt::format("{:.4g} ms", time_us / 1e3);
  return fmt::format("{:.4g} s", time_us / 1e6);
}

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 3);
  if (text.size() <= width) return std::string(text);
  const auto tail = (width - 1) / 2;
  return fmt::format("{}…{}", text.substr(0, width - 1 - tail), text.substr(text.size() - tail));
}

std::size_t stdout_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto width = columns == nullptr ? std::nullopt : parse_int(columns);
  return width && *width > 0 ? static_cast<std::size_t>(*width) : 0;
}

}  // namespace gemmtune
