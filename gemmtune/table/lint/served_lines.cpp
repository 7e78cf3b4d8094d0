#include "gemmtune/table/lint/served_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/table/profile_csv.h"

namespace gemmtune::lint_checks {
namespace {

bool is_profile(const LintTable& table) {
  try {
    insist_on_no_profile(table.document.header, table.document.source);
    return false;
  } catch (const Error&) {
    return true;
  }
}

TunedRowReader reader_of(const LintTable& table) {
  return {table.document.header, table.format->format, defaults_of(*table.format), table.document.source};
}

}  // namespace

bool may_be_served(const LintTable& table) {
  return table.sheet.kind == TableKind::gemm && table.is_tuned() && table.format && !is_profile(table);
}

std::string why_not_served(const LintTable& table) {
  if (!may_be_served(table)) return {};
  try {
    static_cast<void>(reader_of(table));
    return {};
  } catch (const Error& error) {
    const std::string why = error.what();
    const auto place = fmt::format("{}:1:1: ", table.document.source);
    return why.starts_with(place) ? why.substr(place.size()) : why;
  }
}

std::vector<RefusedLine> refused_lines(const LintTable& table) {
  std::vector<RefusedLine> refused;
  if (!may_be_served(table) || !why_not_served(table).empty()) return refused;
  auto reader = reader_of(table);
  for (const auto& line : table.document.rows)
    if (auto complaint = reader.read(line.fields())) refused.push_back({&line, std::move(*complaint)});
  return refused;
}

}  // namespace gemmtune::lint_checks
