#include "gemmtune/table/sheet/merge.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/profile_csv.h"
#include "gemmtune/table/sheet/key_order.h"
#include "gemmtune/table/sheet/layout.h"
#include "gemmtune/table/sheet/sheet_family.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 4> policy_names{"fastest", "newest", "first", "error"};

/// Keys without which rows cannot be compared: sizes, types, and keys that are not known. A missing flag has a meaning.
std::vector<std::string> needed_keys(const Sheet& sheet) {
  std::vector<std::string> names;
  for (const auto& column : sheet.columns)
    if (column.role == Role::key && (!column.known || column.kind == CellKind::size || column.kind == CellKind::type))
      names.push_back(canonical_name(column));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_of(const Sheet& sheet) {
  std::vector<std::string> names;
  for (const auto& column : sheet.columns) names.push_back(column.name);
  return names;
}

/// A table whose family is not known goes with tables of any one family.
void insist_on_one_family(std::span<const Sheet> sheets) {
  const Sheet* known = nullptr;
  std::string family;
  for (const auto& sheet : sheets) {
    auto own = sheet_family(sheet);
    if (own.empty()) continue;
    if (known != nullptr && own != family)
      fail(ErrorCode::input, "{} is a table of {}, {} one of {}: they cannot be merged", known->sources.front(), family,
           sheet.sources.front(), own);
    known = &sheet;
    family = std::move(own);
  }
}

/// A row that competes for its key.
struct Entry {
  std::size_t row{};      // in the sheet
  std::string key{};      // the bytes from KeyOrder
  std::string content{};  // decides ties
  std::optional<double> time{};
  bool wrong{};
  std::string_view date{};
};

class Chooser {
 public:
  Chooser(const Sheet& sheet, MergePolicy policy) : sheet_(sheet), policy_(policy) {}

  bool is_before(const Entry& a, const Entry& b) const { return a.key != b.key ? a.key < b.key : is_better(a, b); }

 private:
  bool is_better(const Entry& a, const Entry& b) const {
    if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
    if (policy_ == MergePolicy::newest) return std::tie(a.date, a.row) > std::tie(b.date, b.row);
    if (policy_ == MergePolicy::first) return a.row < b.row;
    if (a.wrong != b.wrong) return b.wrong;
    const auto& a_raw = sheet_.rows[a.row].raw;
    const auto& b_raw = sheet_.rows[b.row].raw;
    return std::tie(a.time, a.content, a_raw, a.row) < std::tie(b.time, b.content, b_raw, b.row);
  }

  const Sheet& sheet_;
  MergePolicy policy_;
};

std::vector<Entry> entries_of(const Sheet& sheet) {
  const KeyOrder order(sheet, sheet.columns);
  const ContentReader content(sheet);
  const auto date = sheet.column("date");
  std::vector<Entry> entries;
  entries.reserve(sheet.rows.size());
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
    const auto& row = sheet.rows[i];
    entries.push_back({.row = i,
                       .key = order.bytes(row),
                       .content = content.text(row),
                       .time = time_us(sheet, row),
                       .wrong = is_wrong(sheet, row),
                       .date = sheet.text(row, date)});
  }
  return entries;
}

struct Selection {
  std::vector<std::size_t> kept{};  // indices of rows, in the order of keys
  std::vector<Duplicate> duplicates{};
};

Selection choose(const Sheet& sheet, MergePolicy policy) {
  auto entries = entries_of(sheet);
  const Chooser chooser(sheet, policy);
  std::ranges::sort(entries, [&](const Entry& a, const Entry& b) { return chooser.is_before(a, b); });
  const KeyReader keys(sheet);
  Selection selection;
  const Entry* best = nullptr;
  for (const auto& entry : entries) {
    if (best == nullptr || best->key != entry.key) {
      best = &entry;
      selection.kept.push_back(entry.row);
      continue;
    }
    const auto& kept = sheet.rows[best->row];
    const auto& dropped = sheet.rows[entry.row];
    selection.duplicates.push_back({.key = keys.text(dropped),
                                    .kept = sheet.where(kept),
                                    .dropped = sheet.where(dropped),
                                    .kept_us = best->time,
                                    .dropped_us = entry.time,
                                    .is_copy = best->content == entry.content});
  }
  return selection;
}

void insist_on_no_conflict(const std::vector<Duplicate>& duplicates) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> conflicts;
  for (const auto& duplicate : duplicates)
    if (!duplicate.is_copy)
      conflicts.push_back(fmt::format("{} and {}: {}", duplicate.kept, duplicate.dropped, duplicate.key));
  if (conflicts.empty()) return;
  const auto count = conflicts.size();
  if (count > shown) conflicts.resize(shown);
  fail(ErrorCode::input, "{} rows differ from another of their key:\n  {}{}", count, join(conflicts, "\n  "),
       count > shown ? "\n  …" : "");
}

/// The sheet with only these of its rows, in this order.
Merged with_rows(Sheet sheet, Selection selection) {
  std::vector<SheetRow> rows;
  rows.reserve(selection.kept.size());
  for (const auto i : selection.kept) rows.push_back(std::move(sheet.rows[i]));
  sheet.rows = std::move(rows);
  return {.sheet = std::move(sheet), .duplicates = std::move(selection.duplicates)};
}

}  // namespace

std::string_view to_string(MergePolicy policy) { return policy_names[static_cast<std::size_t>(policy)]; }

std::optional<MergePolicy> parse_merge_policy(std::string_view text) {
  const auto found = std::ranges::find(policy_names, text);
  if (found == policy_names.end()) return std::nullopt;
  return static_cast<MergePolicy>(found - policy_names.begin());
}

void insist_on_comparable(std::span<const Sheet> sheets) {
  if (sheets.empty()) fail(ErrorCode::usage, "expected one table or more");
  const auto& first = sheets.front();
  for (const auto& sheet : sheets) {
    const auto& file = sheet.sources.front();
    insist_on_no_profile(names_of(sheet), file);
    if (sheet.kind == TableKind::unknown)
      fail(ErrorCode::input, "{}:1:1: none of its columns says what its rows are for: expected M,N,K or another key",
           file);
    if (sheet.kind != first.kind)
      fail(ErrorCode::input, "{} is a table of {}, {} one of {}: they cannot be merged", first.sources.front(),
           to_string(first.kind), file, to_string(sheet.kind));
    if (const auto keys = needed_keys(sheet), expected = needed_keys(first); keys != expected)
      fail(ErrorCode::input, "{} has keys {}, {} has {}: they cannot be merged", first.sources.front(),
           join(expected, ","), file, join(keys, ","));
  }
  insist_on_one_way_to_state_problems(sheets);
  insist_on_one_family(sheets);
}

Merged merge(std::span<const Sheet> sheets, MergePolicy policy) {
  insist_on_comparable(sheets);
  auto all = concatenated(sheets);
  auto selection = choose(all, policy);
  if (policy == MergePolicy::error) insist_on_no_conflict(selection.duplicates);
  return with_rows(std::move(all), std::move(selection));
}

Merged without_duplicates(const Sheet& sheet, MergePolicy policy) {
  insist_on_comparable({&sheet, 1});
  auto selection = choose(sheet, policy);
  if (policy == MergePolicy::error) insist_on_no_conflict(selection.duplicates);
  std::ranges::sort(selection.kept);
  return with_rows(sheet, std::move(selection));
}

}  // namespace gemmtune
