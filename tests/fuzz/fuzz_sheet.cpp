// Any bytes: either an Error refuses them, or they are a sheet. A sheet written and read again has the same rows and
// unusable lines. Merging it with itself or moving it to another layout does not change it.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/table/sheet/merge.h"

namespace {

using namespace gemmtune;

void insist(bool holds) {
  if (!holds) std::abort();
}

void check_round_trip(const Sheet& sheet) {
  const auto again = sheet_of(parse_csv(sheet_text(sheet)));
  insist(again.columns == sheet.columns);
  insist(again.rows.size() == sheet.rows.size() && again.unusable.size() == sheet.unusable.size());
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) insist(again.rows[i].cells == sheet.rows[i].cells);
}

void check_merging(const Sheet& sheet) {
  const std::array once{sheet};
  const std::array twice{sheet, sheet};
  const auto merged = merge(once, MergePolicy::fastest);
  const auto text = sheet_text(merged.sheet);
  insist(merged.sheet.rows.size() + merged.duplicates.size() == sheet.rows.size());
  insist(sheet_text(merge(twice, MergePolicy::fastest).sheet) == text);
  const std::array again{sheet_of(parse_csv(text))};
  insist(sheet_text(merge(again, MergePolicy::fastest).sheet) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto sheet = sheet_of(parse_csv({reinterpret_cast<const char*>(data), size}));
    check_round_trip(sheet);
    if (sheet.kind != TableKind::unknown) check_merging(sheet);
  } catch (const Error&) {
  }
  return 0;
}
