// Which columns a table has and in which order, when it is made of several: joining layouts, and rows moved from one to
// another.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The columns of all these sheets. Those that all have in one order keep it, names that all spell alike keep their
/// spelling; else order and spelling are canonical (table/sheet/schema.h). Does not depend on the order of the sheets,
/// and joining in steps comes to the same.
std::vector<SheetColumn> joined_columns(std::span<const Sheet> sheets);

/// The sheet with these columns. Where they stand as its own did, lines keep their text; else they are written anew,
/// and what is empty is filled where AITER's rules say what it means: gfx from cu_num, flags with False. Columns that
/// are not among them are left out. Unusable lines move along, and stay unusable.
Sheet in_layout(Sheet sheet, const std::vector<SheetColumn>& columns);

/// All rows of all sheets in one layout, as they come. A line that cannot be used is there once.
Sheet concatenated(std::span<const Sheet> sheets);

/// What a row says, in a text that does not depend on its layout: for ties, and to tell copies from conflicts.
/// Equal exactly for rows that are the same text once they are moved to one layout.
class ContentReader {
 public:
  explicit ContentReader(const Sheet& sheet);
  std::string text(const SheetRow& row) const;

 private:
  const Sheet& sheet_;
  std::vector<std::size_t> order_;  // of the columns, the same for every layout
  std::vector<std::string> names_;  // in that order
};

}  // namespace gemmtune
