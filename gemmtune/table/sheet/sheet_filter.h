// Selects rows of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Whole numbers from `low` to `high`, both included.
struct SizeInterval {
  std::int64_t low{};
  std::int64_t high{};

  bool has(std::int64_t value) const { return low <= value && value <= high; }
  bool operator==(const SizeInterval&) const = default;
};

/// Parses "128", "1:128", ":128" or "4096:".
std::optional<SizeInterval> parse_interval(std::string_view text);

/// The conditions for a row. An empty list is no condition; of any other list, one entry must hold.
struct RowFilter {
  std::vector<std::string> gfx{};  // AITER's rule fills in a missing gfx
  std::vector<std::string> libtype{};
  std::vector<std::string> kernel{};  // glob patterns: * any text, ? any character. One of the row's kernels must match
  struct Sizes {
    std::string column{};  // "M", "cu_num", "token", …
    std::vector<SizeInterval> intervals{};
  };
  std::vector<Sizes> sizes{};
  bool timed_only{};
};

/// The rows that meet all conditions, unchanged. Throws Error{input} if the sheet lacks a column. Unusable lines
/// stay.
Sheet filtered(Sheet sheet, const RowFilter& filter);

/// Whether a pattern matches the whole text. A pattern without * and ? matches anywhere in the text.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace gemmtune
