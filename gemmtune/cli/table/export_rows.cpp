#include "gemmtune/cli/table/export_rows.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/table/padded_m.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

std::string device_text(const TunedRow& row) { return fmt::format("--gfx {} --cu-num {}", row.gfx, row.cu_num); }

std::string why_not_served(const TunedRow& row, const WantedDevice& wanted) {
  const bool is_other = (!wanted.gfx.empty() && without_features(wanted.gfx) != without_features(row.gfx)) ||
                        (wanted.cu_num > 0 && row.cu_num > 0 && wanted.cu_num != row.cu_num);
  if (is_other) return "they are for another device";
  if (!has_time(row)) return "they have no time";
  const bool is_right = has_error_ratio(row) && row.err_ratio <= VerifyPolicy{}.err_ratio_limit;
  return is_right ? "" : "their error ratio is over the limit";
}

constexpr std::int64_t largest_m = 1'000'000;

/// The row that AITER's two paddings give a size that has no row of its own.
const TunedRow* row_serving(const std::map<std::int64_t, TunedRow>& rows, std::int64_t m, std::int64_t n) {
  if (rows.contains(m)) return nullptr;
  for (const auto padded : {padded_fine(m), padded_coarse(m, n)})
    if (const auto found = rows.find(padded); found != rows.end()) return &found->second;
  return nullptr;
}

}  // namespace

void LeftOutRows::add(const std::string& reason, const std::string& row) {
  auto& rows = reasons_[reason];
  if (rows.count++ == 0) rows.first = row;
}

void LeftOutRows::print() const {
  for (const auto& [reason, rows] : reasons_)
    print_note("{} row{} left out: {} (the first: {})\n", rows.count, rows.count == 1 ? "" : "s", reason, rows.first);
}

std::vector<TunedRow> expanded(std::vector<TunedRow> rows, const std::vector<std::int64_t>& sizes) {
  using ByM = std::map<std::int64_t, TunedRow>;
  std::map<Problem, ByM> groups;
  for (const auto& row : rows) {
    auto group = row.problem;
    group.m = 0;
    const auto [at, is_new] = groups[group].try_emplace(row.problem.m, row);
    if (!is_new && row.time_us < at->second.time_us) at->second = row;
  }
  for (const auto& [group, by_m] : groups)
    for (const auto m : sizes) {
      const auto* row = group.batch == 1 && is_plain(group) ? row_serving(by_m, m, group.n) : nullptr;
      if (row == nullptr) continue;
      rows.push_back(*row);
      rows.back().problem.m = m;
    }
  return rows;
}

std::vector<std::int64_t> sizes_in(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> sizes;
  for (const std::string_view text : texts) {
    const auto dash = text.find('-');
    const auto from = parse_int(text.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : parse_int(text.substr(dash + 1));
    if (!from || !to || *from < 1 || *to < *from || *to > largest_m)
      fail(ErrorCode::usage, "--m: found '{}', expected sizes, as 1,2,4 or 1-512", text);
    for (auto m = *from; m <= *to; ++m) sizes.push_back(m);
  }
  return sizes;
}

TunedTable rows_to_export(const std::vector<TableSource>& tables, const WantedDevice& wanted, LeftOutRows& left_out) {
  TunedTable table{.columns = columns_for_any_format()};
  std::set<std::string> devices;
  for (const auto& source : tables) {
    const auto use = [&](const TunedRow& row, std::int64_t line) {
      if (const auto why = why_not_served(row, wanted); !why.empty()) {
        left_out.add(why, fmt::format("{}:{}", source.path.string(), line));
        return;
      }
      table.rows.push_back(row);
      devices.insert(device_text(row));
    };
    for (const auto& skipped : read_rows(read_file(source.path), source, use, wanted.gfx))
      left_out.add("their lines cannot be read", skipped.reason);
  }
  if (devices.size() > 1)
    fail(ErrorCode::usage, "the tables have rows for several devices, choose one: {}",
         join({devices.begin(), devices.end()}, "; "));
  return table;
}

}  // namespace gemmtune
