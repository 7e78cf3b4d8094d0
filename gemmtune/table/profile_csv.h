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

struct ProfileKind {
  Format format{Format::a16w16};
  bool states_problems{};  // each row says its problem whole
};

/// The columns of a new profile: those of the tuned table, then outcome, reason and stage.
std::vector<std::string> profile_columns(const ProfileKind& kind);

/// Throws Error{input} that names the source when these are the columns of a profile, and a table was expected.
void insist_on_no_profile(std::span<const std::string> columns, std::string_view source);

/// Checks that these columns are those of a profile of this format, ours or AITER's: the keys of a table, a time and a
/// name. AITER's lacks outcome, reason and stage. Throws Error{input} that names the source when they are not.
void insist_on_profile(const std::vector<std::string>& columns, Format format, std::string_view source);

/// What a run knows of one candidate.
struct ProfiledRow {
  TunedRow row{};
  Evaluation evaluation{};
};

/// One line of a profile with these columns, without its end. A failed candidate has us = -1 (inf if it timed out or
/// crashed) and errRatio = 1, as in AITER. Outcome and reason say what happened.
std::string profile_line(const std::vector<std::string>& columns, const ProfiledRow& row);

}  // namespace gemmtune
