#include "gemmtune/table/sheet/sheet_family.h"

#include <algorithm>
#include <filesystem>

#include "gemmtune/core/error.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/sheet/schema.h"

namespace gemmtune {
namespace {

std::string gemm_family(const Sheet& sheet) {
  std::vector<std::string> names;
  for (const auto& column : sheet.columns) names.push_back(column.name);
  if (states_problems(sheet)) return "schema gemmtune";
  const auto guess = guess_format(std::filesystem::path(sheet.sources.front()).filename().string(), names);
  if (!guess) return {};
  const bool is_open = guess->packed && !format_defaults(guess->format).packed;
  return std::string(to_string(guess->format)) + (is_open ? " with shuffled weights" : "");
}

}  // namespace

std::string sheet_family(const Sheet& sheet) {
  const auto* family = schema_family_of(sheet.columns);
  const bool is_special = family != nullptr && !parse_format(family->name);
  if (is_special) return std::string(family->name);
  return sheet.kind == TableKind::gemm ? gemm_family(sheet) : std::string(to_string(sheet.kind));
}

bool states_problems(const Sheet& sheet) { return sheet.column("problem").has_value(); }

void insist_on_one_way_to_state_problems(std::span<const Sheet> sheets) {
  const auto has = [](const Sheet& sheet) { return states_problems(sheet); };
  const auto with = std::ranges::find_if(sheets, has);
  const auto without = std::ranges::find_if_not(sheets, has);
  if (with == sheets.end() || without == sheets.end()) return;
  fail(ErrorCode::input,
       "{} has a column problem, {} has none: convert one of them with gemmtune table convert --schema",
       with->sources.front(), without->sources.front());
}

}  // namespace gemmtune
