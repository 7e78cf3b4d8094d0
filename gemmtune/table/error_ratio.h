// How wrong the result of a row's kernel was, and how wrong it may be.
#pragma once

#include "gemmtune/space/policy.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The largest share of wrong elements that the row says (fused MoE says one for each stage); 0 where it says none.
double error_ratio(const Sheet& sheet, const SheetRow& row);

/// The limit of such tables: the one for GEMMs (AITER's, which tuning keeps to, unless given), and twice that for fused
/// MoE.
double error_limit(TableKind kind, double of_gemms = VerifyPolicy{}.err_ratio_limit);

/// Over AITER's limit?
bool is_wrong(const Sheet& sheet, const SheetRow& row);

}  // namespace gemmtune
