// Merges several tables into one with one row for each key. It is a pure function: inputs are not changed. Under
// MergePolicy::fastest, merging is idempotent, commutative and associative, down to the bytes of the text: a tie is
// decided by what the rows state, never by their position.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Which of several rows with the same key is kept. Under each policy, a row without a time is kept only if none has
/// one.
enum class MergePolicy : std::uint8_t {
  fastest,  // the least time; a row over the limit of error ratios (table/error_ratio.h) loses to a row within it
  newest,   // the latest by the column `date`; without dates, the row that comes last
  first,    // the row that comes first
  error,    // none: rows with the same key that differ end the merge with an error. Copies of a row are no conflict
};

std::string_view to_string(MergePolicy policy);
std::optional<MergePolicy> parse_merge_policy(std::string_view text);

/// A row that lost to another row with the same key.
struct Duplicate {
  std::string key{};      // the text of KeyReader
  std::string kept{};     // file:line
  std::string dropped{};  // file:line
  std::optional<double> kept_us{};
  std::optional<double> dropped_us{};
  bool is_copy{};  // whether it stated the same as the row that was kept
};

struct Merged {
  Sheet sheet{};  // sorted by key
  std::vector<Duplicate> duplicates{};
};

/// Throws Error{usage} for an empty list; Error{input} for tables of different kinds or families
/// (table/sheet/sheet_family.h), for tables whose keys are not known, and for tables that cannot be compared because
/// some lack a key.
void insist_on_comparable(std::span<const Sheet> sheets);

/// Throws Error like insist_on_comparable(), and Error{input} for a conflict under MergePolicy::error.
Merged merge(std::span<const Sheet> sheets, MergePolicy policy);

/// One sheet without its duplicates. Rows keep their order and text.
Merged without_duplicates(const Sheet& sheet, MergePolicy policy);

}  // namespace gemmtune
