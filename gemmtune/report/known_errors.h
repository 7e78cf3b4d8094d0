// What logs of tuning contain when something is wrong, and what to do about it. Each entry is data: a pattern, and a
// line that matches it.
#pragma once

#include <span>
#include <string_view>

namespace gemmtune {

struct KnownError {
  std::string_view name{};
  std::string_view patterns{};  // see fits(); alternatives have a bar between them
  std::string_view example{};   // a line of a log
  std::string_view cause{};
  std::string_view fix{};
};

/// The errors in the order in which they are tried: the first entry that fits a line counts.
std::span<const KnownError> known_errors();

/// Names of errors that are told by the lines before them.
inline constexpr std::string_view memory_fault = "memory access fault";
inline constexpr std::string_view memory_fault_of_n = "memory access fault where N is no multiple of 128";
inline constexpr std::string_view many_memory_faults = "memory access faults on many shapes";

/// Whether the pattern occurs in the line. Case is ignored, and a star stands for any text.
bool fits(std::string_view pattern, std::string_view line);

}  // namespace gemmtune
