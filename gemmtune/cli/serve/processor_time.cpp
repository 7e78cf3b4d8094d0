#include "gemmtune/cli/serve/processor_time.h"

#include "gemmtune/core/text.h"

namespace gemmtune {

std::optional<ProcessorTime> parse_processor_time(std::string_view proc_stat) {
  constexpr std::size_t idle = 3;
  constexpr std::size_t waiting = 4;
  constexpr std::size_t counted = 8;  // the rest is part of these: time of guests
  const auto line = proc_stat.substr(0, proc_stat.find('\n'));
  if (!line.starts_with("cpu ")) return std::nullopt;
  ProcessorTime time;
  std::size_t i = 0;
  for (const auto word : split(line.substr(4), ' ')) {
    if (word.empty()) continue;
    const auto ticks = parse_int(word);
    if (!ticks || i >= counted) break;
    time.total += *ticks;
    if (i != idle && i != waiting) time.busy += *ticks;
    ++i;
  }
  return i > waiting ? std::optional(time) : std::nullopt;
}

}  // namespace gemmtune
