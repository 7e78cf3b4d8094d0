// The time that a machine's processors have spent, as Linux counts it in /proc/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemmtune {

/// In the kernel's ticks, of all processors together.
struct ProcessorTime {
  std::int64_t busy{};  // neither idle nor waiting for input and output
  std::int64_t total{};

  bool operator==(const ProcessorTime&) const = default;
};

/// Reads the line "cpu  user nice system idle iowait …". Empty if the text has none.
std::optional<ProcessorTime> parse_processor_time(std::string_view proc_stat);

}  // namespace gemmtune
