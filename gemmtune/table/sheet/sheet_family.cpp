#include "gemmtune/table/sheet/sheet_family.h"

#include <filesystem>

#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/sheet/schema.h"

namespace gemmtune {
namespace {

std::string gemm_family(const Sheet& sheet) {
  std::vector<std::string> names;
  for (const auto& column : sheet.columns) names.push_back(column.name);
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

}  // namespace gemmtune
