// The order in which AITER sorts, for tables of every family: by device, then by the other keys with N before M.
// Numbers are ordered by value. Keys with equal values are equal.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

class KeyOrder {
 public:
  /// The order of a sheet's rows among those of tables whose columns together are `columns`. The sheet must outlive it.
  KeyOrder(const Sheet& sheet, const std::vector<SheetColumn>& columns);

  /// Rows compare like these bytes. Columns that the sheet lacks count as missing; a missing gfx is filled in.
  std::string bytes(const SheetRow& row) const;

 private:
  struct Key {
    CellKind kind{};
    std::optional<std::size_t> column{};  // index in the sheet
    bool is_gfx{};
  };

  const Sheet& sheet_;
  std::vector<Key> keys_;  // in the order of comparison
};

/// The sheet's rows in this order. Rows with equal keys keep their order.
Sheet sorted_by_key(Sheet sheet);

}  // namespace gemmtune
