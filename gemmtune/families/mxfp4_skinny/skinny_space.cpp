#include "gemmtune/families/mxfp4_skinny/skinny_space.h"

#include <utility>
#include <vector>

#include "gemmtune/families/small_m.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t most_skinny_rows = 64;

/// More than two converting warps are for tiles that give them more work. Those tiles also need them.
bool converts_well(const SkinnyTile& tile) {
  if (tile.rows_a <= 8) return tile.converters == 2;
  return tile.rows_a <= 16 || tile.converters == 6;
}

}  // namespace

std::string why_not_skinny(const Problem& problem, const DeviceInfo& device) {
  if (auto why = small_m::why_not(problem, device); !why.empty()) return why;
  if (problem.m > most_skinny_rows) return "is for up to 64 rows of A";
  return why_no_skinny(problem, {});
}

// On each axis, what was fastest on an H100 comes first.
Space skinny_space(const Problem& problem, const DeviceInfo& device) {
  const Values rows{8, 16, 32, 64};
  const auto rule = [](const char* reason, std::function<bool(const SkinnyTile&)> holds) {
    return small_m::rule<SkinnyTile>(reason, skinny_tile, std::move(holds));
  };
  return {"mxfp4_skinny",
          {numeric_axis("n", rows), numeric_axis("r", {1, 2}), numeric_axis("q", {3, 2, 4, 1}),
           numeric_axis("c", {1, 2, 4, 8}), numeric_axis("s", {3, 2, 4, 6}), numeric_axis("v", {6, 2})},
          {rule(small_m::no_kernel, [=](const SkinnyTile& t) { return why_no_skinny(problem, t).empty(); }),
           rule(small_m::other_rows, [=](const SkinnyTile& t) { return small_m::suits_rows(problem, rows, t.rows_a); }),
           rule(small_m::in_flight,
                [=](const SkinnyTile& t) {
                  const auto bytes = t.row_groups * t.k_groups * t.stages * small_m_unit_bytes;
                  return small_m::has_enough_in_flight(problem, t.cut(), bytes);
                }),
           rule(small_m::short_k,
                [=](const SkinnyTile& t) { return small_m::splits_well(problem, t.cluster * t.k_groups); }),
           rule(small_m::idle,
                [=](SkinnyTile t) {
                  return small_m::fills_device(problem, t.cut(), device.cu_num, [=](std::int64_t cluster) mutable {
                    t.cluster = cluster;
                    return why_no_skinny(problem, t).empty();
                  });
                }),
           rule("there is too little or too much to convert", converts_well)}};
}

SkinnyTile skinny_tile(const Point& point) {
  return {.rows_a = point["n"],
          .row_groups = point["r"],
          .k_groups = point["q"],
          .cluster = point["c"],
          .stages = point["s"],
          .converters = point["v"]};
}

}  // namespace gemmtune
