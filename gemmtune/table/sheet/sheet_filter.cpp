#include "gemmtune/table/sheet/sheet_filter.h"

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

bool has(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

/// A filter whose columns were found in one sheet.
class Sieve {
 public:
  Sieve(const Sheet& sheet, const RowFilter& filter) : sheet_(sheet), filter_(filter) {
    if (!filter.libtype.empty()) libtype_ = column("libtype");
    for (const auto& sizes : filter.sizes) sizes_.push_back(column(sizes.column));
    for (std::size_t i = 0; i < sheet.columns.size(); ++i)
      if (sheet.columns[i].role == Role::kernel_name || sheet.columns[i].known == find_known_column("knl_name"))
        kernels_.push_back(i);
  }

  bool keeps(const SheetRow& row) const {
    if (filter_.timed_only && !time_us(sheet_, row)) return false;
    if (!filter_.gfx.empty() && !is_asked_for(gfx_of(sheet_, row))) return false;
    if (!filter_.libtype.empty() && !has(filter_.libtype, sheet_.text(row, libtype_))) return false;
    return has_kernel(row) && has_sizes(row);
  }

 private:
  std::size_t column(const std::string& name) const {
    if (const auto column = sheet_.column(name)) return *column;
    fail(ErrorCode::input, "{}:1:1: it has no column {} to filter by", sheet_.sources.front(), name);
  }

  bool is_asked_for(const std::string& gfx) const {
    return std::ranges::find(filter_.gfx, gfx, [](const std::string& asked) { return without_features(asked); }) !=
           filter_.gfx.end();
  }

  bool has_kernel(const SheetRow& row) const {
    if (filter_.kernel.empty()) return true;
    return std::ranges::any_of(kernels_, [&](std::size_t i) {
      return std::ranges::any_of(filter_.kernel,
                                 [&](const std::string& pattern) { return matches_glob(pattern, row.cells[i]); });
    });
  }

  bool has_sizes(const SheetRow& row) const {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto value = parse_int(canonical_value(CellKind::whole, row.cells[sizes_[i]]));
      const auto& intervals = filter_.sizes[i].intervals;
      if (!value || std::ranges::none_of(intervals, [&](const SizeInterval& wanted) { return wanted.has(*value); }))
        return false;
    }
    return true;
  }

  const Sheet& sheet_;
  const RowFilter& filter_;
  std::optional<std::size_t> libtype_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> kernels_;
};

bool matches_whole(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t next = 0;  // position in the pattern
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;  // the last star matches the text up to here
  while (at < text.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      taken = at;
    } else if (next < pattern.size() && (pattern[next] == '?' || pattern[next] == text[at])) {
      ++next;
      ++at;
    } else if (star != std::string_view::npos) {
      next = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == std::string_view::npos;
}

}  // namespace

std::optional<SizeInterval> parse_interval(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto value = parse_int(text);
    return value ? std::optional(SizeInterval{*value, *value}) : std::nullopt;
  }
  const auto low = text.substr(0, colon);
  const auto high = text.substr(colon + 1);
  const auto from = low.empty() ? std::optional(std::numeric_limits<std::int64_t>::min()) : parse_int(low);
  const auto to = high.empty() ? std::optional(std::numeric_limits<std::int64_t>::max()) : parse_int(high);
  if (text.size() == 1 || !from || !to || *from > *to) return std::nullopt;
  return SizeInterval{*from, *to};
}

Sheet filtered(Sheet sheet, const RowFilter& filter) {
  const Sieve sieve(sheet, filter);
  std::vector<SheetRow> rows;
  for (const auto& row : sheet.rows)
    if (sieve.keeps(row)) rows.push_back(row);
  sheet.rows = std::move(rows);
  return sheet;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  const bool is_plain = pattern.find_first_of("*?") == std::string_view::npos;
  return is_plain ? text.find(pattern) != std::string_view::npos : matches_whole(pattern, text);
}

}  // namespace gemmtune
