// Some of a table's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Whole numbers from `low` to `high`, both of them in.
struct SizeInterval {
  std::int64_t low{};
  std::int64_t high{};

  bool has(std::int64_t value) const { return low <= value && value <= high; }
  bool operator==(const SizeInterval&) const = default;
};

/// "128", "1:128", ":128", "4096:".
std::optional<SizeInterval> parse_interval(std::string_view text);

/// What a row must be. A list that is empty asks for nothing; of the others one entry must hold.
struct RowFilter {
  std::vector<std::string> gfx{};  // filled by AITER's rule
  std::vector<std::string> libtype{};
  std::vector<std::string> kernel{};  // glob patterns: * any characters, ? any one. One of the row's kernels must match
  struct Sizes {
    std::string column{};  // "M", "cu_num", "token", …
    std::vector<SizeInterval> intervals{};
  };
  std::vector<Sizes> sizes{};
  bool timed_only{};
};

/// The rows that are all of it, as they were. Throws Error{input} when the sheet has no such column. Unusable lines
/// stay.
Sheet filtered(Sheet sheet, const RowFilter& filter);

/// Does a pattern match the whole text? A pattern without * and ? matches wherever it stands in the text.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace gemmtune
