#include "gemmtune/table/profile_csv.h"

#include <algorithm>
#include <limits>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/tuned_row_reader.h"

namespace gemmtune {
namespace {

/// The times with which AITER marks a failed candidate.
double failed_time_us(Outcome outcome) {
  const bool died = outcome == Outcome::timed_out || outcome == Outcome::crashed;
  return died ? std::numeric_limits<double>::infinity() : -1;
}

TunedRow as_profiled(TunedRow row, const Evaluation& evaluation) {
  row.line.clear();
  if (evaluation.outcome == Outcome::ok) return row;
  row.time_us = failed_time_us(evaluation.outcome);
  row.err_ratio = 1;
  return row;
}

/// Reasons come from libraries and may have several lines. A line of a profile may not.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::vector<std::string> profile_columns(const ProfileKind& kind) {
  auto names = tuned_columns(kind.format);
  if (kind.states_problems) {
    names.clear();
    for (const auto& column : columns_for_any_format()) names.push_back(column.name);
  }
  names.insert(names.end(), {"outcome", "reason", "stage"});
  return names;
}

void insist_on_no_profile(std::span<const std::string> columns, std::string_view source) {
  const auto has = [&](std::string_view name) { return std::ranges::find(columns, name) != columns.end(); };
  if (has("outcome") && has("stage"))
    fail(ErrorCode::input,
         "{}:1:1: found the columns outcome and stage of a profile, whose candidates need not be proven; expected a "
         "tuned "
         "table",
         source);
}

void insist_on_profile(const std::vector<std::string>& columns, Format format, std::string_view source) {
  const TunedRowReader reader(columns, format, format_defaults(format), source);
}

std::string profile_line(const std::vector<std::string>& columns, const ProfiledRow& row) {
  const auto& evaluation = row.evaluation;
  const auto profiled = as_profiled(row.row, evaluation);
  std::vector<std::string> cells;
  for (const auto& column : columns_from_header(columns)) {
    if (column.name == "outcome")
      cells.emplace_back(to_string(evaluation.outcome));
    else if (column.name == "reason")
      cells.push_back(on_one_line(evaluation.reason));
    else if (column.name == "stage")
      cells.emplace_back(to_string(evaluation.stage));
    else
      cells.push_back(cell_text(column.field, profiled));
  }
  return csv_line(cells);
}

}  // namespace gemmtune
