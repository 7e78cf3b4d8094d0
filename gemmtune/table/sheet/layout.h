// Which columns a table has, and in which order, if it is made of several tables: joins layouts, and moves rows from
// one to another.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The columns of all these sheets. If all sheets have their common columns in one order, that order is kept; a name
/// that all spell alike keeps its spelling. Otherwise order and spelling are canonical (table/sheet/schema.h). The
/// result does not depend on the order of the sheets, and joining in steps gives the same result.
std::vector<SheetColumn> joined_columns(std::span<const Sheet> sheets);

/// The sheet with these columns. If they are its own columns in its own order, lines keep their text. Otherwise lines
/// are written anew, and empty cells are filled where AITER's rules say what they mean: gfx from cu_num, flags with
/// False. Columns that are not among `columns` are left out. Unusable lines are moved too, and stay unusable.
Sheet in_layout(Sheet sheet, const std::vector<SheetColumn>& columns);

/// All rows of all sheets in one layout, in order. A line that cannot be used occurs once.
Sheet concatenated(std::span<const Sheet> sheets);

/// A text for what a row states that does not depend on its layout, to decide ties and to tell copies from conflicts.
/// Two rows have equal texts exactly when they would be the same text in one layout.
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
