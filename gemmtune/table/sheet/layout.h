// Which columns a table has, and in which order, if it is made from several tables. This joins layouts, and moves rows
// from one layout to another.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The columns of all these sheets. If all sheets have their common columns in the same order, that order is kept. A
/// name that all spell alike keeps its spelling. Otherwise order and spelling are canonical (table/sheet/schema.h). The
/// result does not depend on the order of the sheets, and joining in steps gives the same result.
std::vector<SheetColumn> joined_columns(std::span<const Sheet> sheets);

/// The sheet with these columns. If they are its own columns in its own order, lines keep their text. Otherwise lines
/// are written again, and empty cells are filled if AITER's rules say what they mean: gfx from cu_num, flags with
/// False. Columns that are not among `columns` are left out. Unusable lines are moved too, and stay unusable.
Sheet in_layout(Sheet sheet, const std::vector<SheetColumn>& columns);

/// All rows of all sheets in one layout, in order. An unusable line occurs only once.
Sheet concatenated(std::span<const Sheet> sheets);

/// What a row states, as a text that does not depend on its layout. It decides ties and tells copies from conflicts.
/// Two rows have equal texts exactly if they would have the same text in one layout.
class ContentReader {
 public:
  explicit ContentReader(const Sheet& sheet);
  std::string text(const SheetRow& row) const;

 private:
  const Sheet& sheet_;
  std::vector<std::size_t> order_;  // the order of the columns, the same for every layout
  std::vector<std::string> names_;  // their names in that order
};

}  // namespace gemmtune
