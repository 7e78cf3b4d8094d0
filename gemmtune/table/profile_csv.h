// The profile: a CSV of every candidate that was tried, with AITER's columns and ours. Most of its candidates were
// never proven, so it is not used to choose kernels at run time, and no rows of tables are made from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

/// The columns of a profile: those of the tuned table, then outcome, reason and stage.
std::vector<std::string> profile_columns(Format format);

/// Throws Error{input} that names the source when these are the columns of a profile, and a table was expected.
void insist_on_no_profile(std::span<const std::string> columns, std::string_view source);

/// One line of a profile, without its end. A failed candidate has us = -1 (inf if it timed out or crashed) and errRatio
/// = 1, as in AITER. Outcome and reason say what happened.
std::string profile_line(Format format, const TunedRow& row, const Evaluation& evaluation);

}  // namespace gemmtune
