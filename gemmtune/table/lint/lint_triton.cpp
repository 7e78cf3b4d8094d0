// Checks keys in Triton configuration files.
#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/table/lint/lint_checks.h"
#include "gemmtune/table/triton/triton_rule.h"

namespace gemmtune::lint_checks {
namespace {

Place place_of_key(const LintTriton& triton, const std::string& key) {
  const auto at = std::min(triton.text.find('"' + key + '"'), triton.text.size());
  const auto before = std::string_view(triton.text).substr(0, at);
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {triton.file.source, 1 + std::ranges::count(before, '\n'), static_cast<std::int64_t>(at - line_start) + 1};
}

/// Whether the entry is a last resort. If it is never needed, it does no harm.
bool is_last_resort(const TritonEntry& entry) { return entry.key == "any" || entry.key == "default"; }

}  // namespace

Remarks dead_triton_keys(const LintInput& input) {
  Remarks remarks;
  for (const auto& triton : input.triton) {
    if (!triton.name) continue;
    const auto bounds = bounds_of(*triton.name, triton.file);
    const auto ranges = served_ranges(triton.file, bounds);
    const auto asked = keys_asked(triton.file, bounds);
    for (std::size_t i = 0; i < ranges.size(); ++i)
      if (!ranges[i] && !is_last_resort(triton.file.entries[i]))
        remarks.push_back({place_of_key(triton, triton.file.entries[i].key),
                           fmt::format("no M reaches {}: {}", triton.file.entries[i].key,
                                       why_unreachable(triton.file, i, bounds, asked))});
  }
  return remarks;
}

Remarks unserved_triton_sizes(const LintInput& input) {
  Remarks remarks;
  for (const auto& triton : input.triton) {
    const auto m = triton.name ? first_unserved(triton.file, bounds_of(*triton.name, triton.file)) : std::nullopt;
    if (!m) continue;
    Place place{triton.file.source, 1, 1};
    remarks.push_back({std::move(place), fmt::format("no key serves M={}: the kernel fails there", *m)});
  }
  return remarks;
}

}  // namespace gemmtune::lint_checks
