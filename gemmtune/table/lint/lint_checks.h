// The checks of the rules, only for the list in lint.cpp. Each is explained where it is defined.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gemmtune/table/lint/lint.h"

namespace gemmtune::lint_checks {

using Remarks = std::vector<Remark>;
using MaybeRemark = std::optional<Remark>;

/// The lines of a table as cells: all of them, or only those that are rows.
inline const std::vector<CsvRow>& lines(const LintTable& table) { return table.document.rows; }
inline const std::vector<SheetRow>& rows(const LintTable& table) { return table.sheet.rows; }

/// One remark for each of the lines `those` about which `say` reports something, given a table and the line.
template <auto those, typename Say>
Remarks remarks_on(const LintInput& input, const Say& say) {
  Remarks remarks;
  for (const auto& table : input.tables)
    for (const auto& line : those(table))
      if (MaybeRemark remark = say(table, line)) remarks.push_back(std::move(*remark));
  return remarks;
}

// lint_layout.cpp
Remarks crlf(const LintInput& input);
Remarks blank_lines(const LintInput& input);
Remarks blanks_around_cells(const LintInput& input);
Remarks no_final_newline(const LintInput& input);
Remarks no_rows(const LintInput& input);
Remarks tables_without_reader(const LintInput& input);

// lint_cells.cpp
Remarks unusable_lines(const LintInput& input);
Remarks short_rows(const LintInput& input);
Remarks long_rows(const LintInput& input);
Remarks shifted_columns(const LintInput& input);
Remarks odd_cells(const LintInput& input);

// lint_keys.cpp
Remarks shadowed_rows(const LintInput& input);
Remarks shadowed_across_files(const LintInput& input);
Remarks repeated_shapes(const LintInput& input);

// lint_reach.cpp
Remarks no_time(const LintInput& input);
Remarks no_device(const LintInput& input);
Remarks contradicting_device(const LintInput& input);
Remarks unasked_tokens(const LintInput& input);
Remarks wrong_results(const LintInput& input);
Remarks swapped_sizes(const LintInput& input);

// lint_rates.cpp
Remarks contradicting_tflops(const LintInput& input);
Remarks contradicting_bandwidth(const LintInput& input);
Remarks missing_rates(const LintInput& input);

// lint_kernels.cpp
Remarks unknown_kernels(const LintInput& input);
Remarks kernels_under_two_ids(const LintInput& input);
Remarks rows_with_only_an_id(const LintInput& input);

// lint_triton.cpp
Remarks dead_triton_keys(const LintInput& input);
Remarks unserved_triton_sizes(const LintInput& input);

}  // namespace gemmtune::lint_checks
