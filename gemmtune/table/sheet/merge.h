// Several tables made into one, with one row for each key. A pure function: inputs stay as they are.
//
// Under MergePolicy::fastest merging is idempotent, commutative and associative, to the byte of the table's text: where
// two rows tie, what they say decides, and never where they stood.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Which of several rows of one key stays. Under each of them a row without a time stays only where none has one.
enum class MergePolicy : std::uint8_t {
  fastest,  // the least time; a row whose error ratio is over the limit (table/error_ratio.h) loses against one within
  newest,   // the latest by the column `date`; without dates the one that comes last
  first,    // the one that comes first
  error,    // none: rows of one key that differ end the merge. Copies of one row are no conflict
};

std::string_view to_string(MergePolicy policy);
std::optional<MergePolicy> parse_merge_policy(std::string_view text);

/// A row that gave way to another of its key.
struct Duplicate {
  std::string key{};      // as KeyReader has it
  std::string kept{};     // file:line
  std::string dropped{};  // file:line
  std::optional<double> kept_us{};
  std::optional<double> dropped_us{};
  bool is_copy{};  // it said the same
};

struct Merged {
  Sheet sheet{};  // sorted by key
  std::vector<Duplicate> duplicates{};
};

/// Throws Error{usage} for no sheets; Error{input} for tables that are not of one kind, whose keys are not known, or
/// that cannot be compared because some lack a key.
void insist_on_comparable(std::span<const Sheet> sheets);

/// Throws Error like insist_on_comparable(), and Error{input} for a conflict under MergePolicy::error.
Merged merge(std::span<const Sheet> sheets, MergePolicy policy);

/// One sheet without its duplicates, otherwise as it was: rows keep their order and text.
Merged without_duplicates(const Sheet& sheet, MergePolicy policy);

}  // namespace gemmtune
