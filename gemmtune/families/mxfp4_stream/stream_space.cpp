#include "gemmtune/families/mxfp4_stream/stream_space.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gemmtune/kernels/stream_arguments.h"

namespace gemmtune::mxfp4_stream {
namespace {

constexpr std::array skinny_rows{8, 16};
constexpr std::array fused_rows{16, 32, 64, 96, 128};
constexpr std::int64_t most_skinny_rows = 16;
constexpr std::int64_t most_fused_rows = 512;

bool is_mxfp4(const Side& side) { return side.type == DType::e2m1 && side.scaling == Scaling::mx_1x32; }

std::vector<std::int64_t> row_choices(Kind kind) {
  if (kind == Kind::skinny) return {skinny_rows.begin(), skinny_rows.end()};
  return {fused_rows.begin(), fused_rows.end()};
}

/// The least that takes all rows of A, or a large one where they are more.
bool suits_rows(const Problem& problem, Kind kind, std::int64_t rows) {
  const auto choices = row_choices(kind);
  const auto least = std::ranges::find_if(choices, [&](std::int64_t choice) { return choice >= problem.m; });
  return least == choices.end() ? rows >= 64 : rows == *least;
}

std::int64_t units_of(const Problem& problem) { return (problem.k + stream_unit_k - 1) / stream_unit_k; }

/// Bytes of W on their way to a multiprocessor: fewer do not fill the memory's pipe, more only stand in A's way.
bool has_enough_in_flight(const Problem& problem, const StreamTile& tile) {
  const auto of_unit = tile.row_groups * stream_unit_bytes;
  const auto bytes = of_unit * tile.k_groups * tile.stages;
  const auto there_are = of_unit * (units_of(problem) + tile.cluster - 1) / tile.cluster;
  return bytes >= std::min<std::int64_t>(48 << 10, there_are) && bytes <= 96 << 10;
}

bool splits_well(const Problem& problem, const StreamTile& tile) {
  return tile.cluster * tile.k_groups == 1 || units_of(problem) >= 2 * tile.cluster * tile.k_groups;
}

/// Of multiprocessors and turns, as large a part works as in nearly any other cut.
bool fills_device(const Problem& problem, const StreamTile& tile, std::int64_t multiprocessors) {
  const auto share = [&](const StreamTile& of) {
    const auto tiles = stream_tiles(problem, of);
    const auto clusters = std::max<std::int64_t>(multiprocessors / of.cluster, 1);
    const auto turns = (tiles + clusters - 1) / clusters;
    return static_cast<double>(tiles * of.cluster) / static_cast<double>(turns * multiprocessors);
  };
  double best = 0;
  for (const std::int64_t cluster : {1, 2, 4, 8}) {
    StreamTile other = tile;
    other.row_groups = 1;
    other.cluster = cluster;
    if (splits_well(problem, other)) best = std::max(best, share(other));
  }
  return share(tile) >= 0.9 * best;
}

/// More converting warps than two are for tiles that have more for them to do, which then need them.
bool converts_well(const StreamTile& tile) {
  if (tile.rows_a <= 8) return tile.converters == 2;
  return tile.rows_a <= 32 || tile.converters == 6;
}

}  // namespace

std::string family_name(Kind kind) { return kind == Kind::skinny ? "mxfp4_skinny" : "mxfp4_fused"; }

std::string why_unsupported(const Problem& problem, Kind kind, const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda || !device.arch.starts_with("sm90")) return "runs on Hopper GPUs only";
  if (!is_mxfp4(problem.a) || !is_mxfp4(problem.w)) return "multiplies MXFP4 by MXFP4 only";
  if (!problem.packed) return "lays the weights out anew once, so it needs packed weights";
  if (problem.out != DType::bf16 && problem.out != DType::f16 && problem.out != DType::f32)
    return "writes bf16, fp16 or f32";
  if (kind == Kind::skinny && problem.m > most_skinny_rows) return "is for up to 16 rows of A";
  if (problem.m > most_fused_rows) return "is for up to 512 rows of A";
  return why_no_stream(problem, {});
}

Space space_of(const Problem& problem, Kind kind, const DeviceInfo& device) {
  const bool skinny = kind == Kind::skinny;
  using Values = std::vector<std::int64_t>;
  const auto scales = skinny ? std::vector<std::string>{"block"} : std::vector<std::string>{"row", "block"};
  // What was fastest on an H100 stands in front.
  std::vector<Axis> axes{numeric_axis("n", row_choices(kind)),
                         label_axis("scales", scales),
                         numeric_axis("r", skinny ? Values{1, 2} : Values{2, 1}),
                         numeric_axis("q", skinny ? Values{3, 2, 4, 1} : Values{1, 2}),
                         numeric_axis("c", {1, 2, 4, 8}),
                         numeric_axis("s", skinny ? Values{3, 2, 4} : Values{3, 4, 6}),
                         numeric_axis("v", {6, 2})};
  const auto rule = [](std::string reason, std::function<bool(const StreamTile&)> holds) {
    return Constraint{std::move(reason), [holds](const Point& point) { return holds(tile_of(point)); }};
  };
  std::vector<Constraint> constraints{
      rule("no such kernel", [=](const StreamTile& tile) { return why_no_stream(problem, tile).empty(); }),
      rule("another tile suits the rows of A",
           [=](const StreamTile& t) { return suits_rows(problem, kind, t.rows_a); }),
      rule("too few or too many bytes on their way",
           [=](const StreamTile& t) { return has_enough_in_flight(problem, t); }),
      rule("K is too short for so many parts", [=](const StreamTile& tile) { return splits_well(problem, tile); }),
      rule("multiprocessors would be idle",
           [=](const StreamTile& tile) { return fills_device(problem, tile, device.cu_num); }),
      rule("there is too little or too much to convert", converts_well)};
  return {family_name(kind), std::move(axes), std::move(constraints)};
}

StreamTile tile_of(const Point& point) {
  return {.rows_a = point["n"],
          .row_groups = point["r"],
          .k_groups = point["q"],
          .cluster = point["c"],
          .stages = point["s"],
          .converters = point["v"],
          .scales = point.label("scales") == "row" ? StreamScales::row : StreamScales::block};
}

}  // namespace gemmtune::mxfp4_stream
