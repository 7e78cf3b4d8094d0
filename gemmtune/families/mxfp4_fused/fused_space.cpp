#include "gemmtune/families/mxfp4_fused/fused_space.h"

#include <utility>
#include <vector>

#include "gemmtune/families/small_m.h"

namespace gemmtune {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t most_fused_rows = 512;

}  // namespace

std::string why_not_fused(const Problem& problem, const DeviceInfo& device) {
  if (auto why = small_m::why_not(problem, device); !why.empty()) return why;
  if (problem.m > most_fused_rows) return "is for up to 512 rows of A";
  return why_no_fused(problem, {});
}

// On each axis, what was fastest on an H100 comes first.
Space fused_space(const Problem& problem, const DeviceInfo& device) {
  const Values rows{16, 32, 64, 96, 128};
  const auto rule = [](const char* reason, std::function<bool(const FusedTile&)> holds) {
    return small_m::rule<FusedTile>(reason, fused_tile, std::move(holds));
  };
  return {"mxfp4_fused",
          {numeric_axis("n", rows), numeric_axis("r", {2, 3, 1}), numeric_axis("c", {2, 1, 4, 8}),
           numeric_axis("s", {8, 10, 7, 12})},
          {rule(small_m::no_kernel, [=](const FusedTile& t) { return why_no_fused(problem, t).empty(); }),
           rule(small_m::other_rows, [=](const FusedTile& t) { return small_m::suits_rows(problem, rows, t.rows_a); }),
           rule(small_m::in_flight,
                [=](const FusedTile& t) {
                  return small_m::has_enough_in_flight(problem, t.cut(), t.row_groups * t.stages * small_m_brick_bytes);
                }),
           rule(small_m::short_k, [=](const FusedTile& t) { return small_m::splits_well(problem, t.cluster); }),
           rule(small_m::idle, [=](FusedTile t) {
             return small_m::fills_device(problem, t.cut(), device.cu_num, [=](std::int64_t cluster) mutable {
               t.cluster = cluster;
               return why_no_fused(problem, t).empty();
             });
           })}};
}

FusedTile fused_tile(const Point& point) {
  return {.rows_a = point["n"], .row_groups = point["r"], .cluster = point["c"], .stages = point["s"]};
}

}  // namespace gemmtune
