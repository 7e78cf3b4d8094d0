#include "gemmtune/table/error_ratio.h"

#include "gemmtune/core/text.h"

namespace gemmtune {

double error_ratio(const Sheet& sheet, const SheetRow& row) {
  double largest = 0;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.columns[i].role != Role::error) continue;
    const auto share = parse_double(canonical_value(CellKind::share, row.cells[i]));
    if (share && *share > largest) largest = *share;  // unless it is nan
  }
  return largest;
}

double error_limit(TableKind kind, double of_gemms) { return kind == TableKind::fused_moe ? 2 * of_gemms : of_gemms; }

bool is_wrong(const Sheet& sheet, const SheetRow& row) { return error_ratio(sheet, row) > error_limit(sheet.kind); }

}  // namespace gemmtune
