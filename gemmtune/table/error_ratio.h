// How wrong the result of a row's kernel was, and how wrong it may be.
#pragma once

#include <string_view>

#include "gemmtune/space/policy.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// The share that a cell states, as a fraction or a percentage. nan and shares below 0 are the marks of a kernel whose
/// results could not be compared: they count as infinite. 0 if the cell states none (empty, Null, no number).
double share_in(std::string_view cell);

/// The largest share of wrong elements that the row states (fused MoE states one for each stage). 0 if it states
/// none.
double error_ratio(const Sheet& sheet, const SheetRow& row);

/// The limit for tables of this kind: AITER's limit for GEMMs, which tuning uses unless told otherwise, and twice that
/// for fused MoE.
double error_limit(TableKind kind, double of_gemms = VerifyPolicy{}.err_ratio_limit);

/// Whether the row is over AITER's limit.
bool is_wrong(const Sheet& sheet, const SheetRow& row);

}  // namespace gemmtune
