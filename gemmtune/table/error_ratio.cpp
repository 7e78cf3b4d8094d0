#include "gemmtune/table/error_ratio.h"

#include <algorithm>
#include <limits>

#include "gemmtune/core/text.h"

namespace gemmtune {

double share_in(std::string_view cell) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto share = parse_double(canonical_value(CellKind::share, cell));
  if (!share) return 0;
  return *share >= 0 ? *share : infinite;  // infinite for nan too
}

double error_ratio(const Sheet& sheet, const SheetRow& row) {
  double largest = 0;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i)
    if (sheet.columns[i].role == Role::error) largest = std::max(largest, share_in(row.cells[i]));
  return largest;
}

double error_limit(TableKind kind, double of_gemms) { return kind == TableKind::fused_moe ? 2 * of_gemms : of_gemms; }

bool is_wrong(const Sheet& sheet, const SheetRow& row) { return error_ratio(sheet, row) > error_limit(sheet.kind); }

}  // namespace gemmtune
