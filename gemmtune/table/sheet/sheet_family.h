// Which tables answer the same lookups: the family of a sheet, from its columns and the name of its file. Keys of
// different families may look alike (batched bf16 and batched int8 tables have the same columns), so rows of two
// families must never compete with each other.
#pragma once

#include <span>
#include <string>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// "a8w8_blockscale", "a8w8_blockscale with shuffled weights", "batched_mxscale", "fmoe", …; the name of its kind for
/// tables without families. "" for a GEMM table if neither its name nor its columns tell.
std::string sheet_family(const Sheet& sheet);

/// Whether each row says its problem whole, in the column `problem` of schema gemmtune.
bool states_problems(const Sheet& sheet);

/// Rows of one problem would be taken for two if only one of the tables said it whole. Throws Error{input} that says
/// how to convert the other one.
void insist_on_one_way_to_state_problems(std::span<const Sheet> sheets);

}  // namespace gemmtune
