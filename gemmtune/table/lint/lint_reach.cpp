// Finds rows that no lookup reaches, and rows that should not be used.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/lint/lint_checks.h"

namespace gemmtune::lint_checks {
namespace {

std::int64_t whole(const LintTable& table, const SheetRow& row, std::string_view column) {
  const auto text = table.sheet.text(row, table.sheet.column(column));
  return parse_int(canonical_value(CellKind::whole, text)).value_or(0);
}

bool has_a_device_column(const Sheet& sheet) { return sheet.column(Role::device).has_value(); }

/// Lookups of fused MoE use the next power of two up to 32768, 32768 for sizes up to 131071, and 131072 above that.
bool is_asked_for(std::int64_t tokens) {
  constexpr std::int64_t fine_end = 32768;
  constexpr std::int64_t coarse = 131072;
  return (tokens <= fine_end && std::has_single_bit(static_cast<std::uint64_t>(tokens))) || tokens == coarse;
}

bool is_grouped(const Sheet& sheet) { return sheet.column("max_m").has_value(); }

std::string wrong_text(const std::string& name, const std::string& cell, double limit) {
  if (std::isinf(share_in(cell))) return fmt::format("{} is {}, so the results were not compared", name, cell);
  return fmt::format("{} is {}, over the limit of {}", name, cell, limit);
}

/// A layer is N and K (and a batch) of a table, with the values of M for which it has rows.
struct Layer {
  std::int64_t batch{};
  std::int64_t n{};
  std::int64_t k{};

  auto operator<=>(const Layer&) const = default;
};

using Layers = std::map<Layer, std::set<std::int64_t>>;

Layers layers_of(const LintTable& table) {
  Layers layers;
  for (const auto& row : table.sheet.rows)
    layers[{whole(table, row, "B"), whole(table, row, "N"), whole(table, row, "K")}].insert(whole(table, row, "M"));
  return layers;
}

constexpr std::size_t many_sizes = 3;

/// A row looks swapped if its own layer has no other row, while a layer with many rows has N = this row's M, and this
/// row's N is an M of that layer.
bool looks_swapped(const Layers& layers, const Layer& own, std::int64_t m) {
  const auto other = layers.find({own.batch, m, own.k});
  return m != own.n && other != layers.end() && other->second.size() >= many_sizes && layers.at(own).size() == 1 &&
         other->second.contains(own.n);
}

/// Finds the M and K of rows whose numbers of tokens are in column N: M is at least 256, and at least three N are
/// powers of two up to 16.
std::set<std::pair<std::int64_t, std::int64_t>> swapped_groups(const LintTable& table) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> widths;
  for (const auto& row : table.sheet.rows)
    widths[{whole(table, row, "M"), whole(table, row, "K")}].insert(whole(table, row, "N"));
  std::set<std::pair<std::int64_t, std::int64_t>> groups;
  for (const auto& [group, ns] : widths) {
    const auto is_small = [](std::int64_t n) { return n <= 16 && std::has_single_bit(static_cast<std::uint64_t>(n)); };
    if (group.first >= 256 && std::ranges::count_if(ns, is_small) >= 3) groups.insert(group);
  }
  return groups;
}

}  // namespace

Remarks no_time(const LintInput& input) {
  return remarks_on<rows>(input, [](const LintTable& table, const SheetRow& row) -> MaybeRemark {
    if (!table.is_tuned() || time_us(table.sheet, row)) return std::nullopt;
    const auto column = table.sheet.column(Role::time);
    return Remark{place_of(table, row, column),
                  fmt::format("{} is '{}': no measurement, so no lookup should serve it",
                              table.sheet.columns[*column].name, table.sheet.text(row, column))};
  });
}

Remarks no_device(const LintInput& input) {
  return remarks_on<rows>(input, [](const LintTable& table, const SheetRow& row) -> MaybeRemark {
    const auto& sheet = table.sheet;
    if (!table.is_tuned() || !has_a_device_column(sheet)) return std::nullopt;
    if (!gfx_of(sheet, row).empty() || !sheet.text(row, sheet.column("cu_num")).empty()) return std::nullopt;
    return Remark{place_of(table, row, sheet.column(Role::device)), "neither gfx nor cu_num: no device asks for it"};
  });
}

Remarks contradicting_device(const LintInput& input) {
  return remarks_on<rows>(input, [](const LintTable& table, const SheetRow& row) -> MaybeRemark {
    const auto& sheet = table.sheet;
    const auto gfx = without_features(sheet.text(row, sheet.column("gfx")));
    const auto cu_num = sheet.text(row, sheet.column("cu_num"));
    const auto expected = gfx_of(cu_num);
    if ((gfx != "gfx942" && gfx != "gfx950") || expected.empty() || expected == gfx) return std::nullopt;
    return Remark{place_of(table, row, sheet.column("cu_num")),
                  fmt::format("no {} has {} compute units (a {} does): no device asks for it", gfx, cu_num, expected)};
  });
}

Remarks unasked_tokens(const LintInput& input) {
  return remarks_on<rows>(input, [](const LintTable& table, const SheetRow& row) -> MaybeRemark {
    if (table.sheet.kind != TableKind::fused_moe || !table.is_tuned() || is_grouped(table.sheet)) return std::nullopt;
    const auto tokens = whole(table, row, "token");
    if (is_asked_for(tokens)) return std::nullopt;
    return Remark{
        place_of(table, row, table.sheet.column("token")),
        fmt::format("no call looks up a row for {} tokens: calls look up powers of two up to 32768, and 131072",
                    tokens)};
  });
}

Remarks wrong_results(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    const auto limit = error_limit(table.sheet.kind, input.err_ratio_limit);
    for (const auto& row : table.sheet.rows)
      for (std::size_t i = 0; i < table.sheet.columns.size(); ++i)
        if (table.sheet.columns[i].role == Role::error && share_in(row.cells[i]) > limit)
          remarks.push_back({place_of(table, row, i), wrong_text(table.sheet.columns[i].name, row.cells[i], limit)});
  }
  return remarks;
}

Remarks swapped_sizes(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    if (table.sheet.kind != TableKind::gemm) continue;
    const auto layers = layers_of(table);
    const auto groups = swapped_groups(table);
    for (const auto& row : table.sheet.rows) {
      const auto m = whole(table, row, "M");
      const Layer own{whole(table, row, "B"), whole(table, row, "N"), whole(table, row, "K")};
      if (!looks_swapped(layers, own, m) && !groups.contains({m, own.k})) continue;
      remarks.push_back({place_of(table, row, table.sheet.column("M")),
                         fmt::format("M={} looks like a layer's N, and N={} like a number of tokens", m, own.n)});
    }
  }
  return remarks;
}

}  // namespace gemmtune::lint_checks
