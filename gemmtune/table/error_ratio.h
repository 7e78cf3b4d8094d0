// How wrong the result of a row's kernel was, and how wrong it may be.
#pragma once

#include "gemmtune/table/sheet.h"

namespace gemmtune {

/// The largest share of wrong elements that the row says (fused MoE says one for each stage); 0 where it says none.
double error_ratio(const Sheet& sheet, const SheetRow& row);

/// AITER's limit, which tuning keeps to: 0.05, and twice that for fused MoE.
double error_limit(TableKind kind);

/// Over the limit?
bool is_wrong(const Sheet& sheet, const SheetRow& row);

}  // namespace gemmtune
