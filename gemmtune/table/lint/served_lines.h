// What serving says of a GEMM table: the reader that it uses (table/tuned_row_reader.h) decides here too, so that no
// table passes that serving refuses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/table/lint/lint.h"
#include "gemmtune/table/tuned_row_reader.h"

namespace gemmtune::lint_checks {

/// A line that is no row for serving.
struct RefusedLine {
  const CsvRow* line{};
  LineComplaint complaint{};
};

/// Whether serving would be given the table: no list of shapes, no profile, no other kind.
bool may_be_served(const LintTable& table);

/// "" if serving reads the table, or if it would not be given the table.
std::string why_not_served(const LintTable& table);

/// Empty unless serving reads the table.
std::vector<RefusedLine> refused_lines(const LintTable& table);

}  // namespace gemmtune::lint_checks
