#include "gemmtune/families/cpu_tile/int8_space.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cpu_tile/isa.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t most_nibble_rows = 256;
constexpr std::int64_t most_threads = 4096;

const std::vector<std::string>& isa_labels() {
  static const std::vector<std::string> labels{"amxint8",  "avx512vnni", "avxvnni", "avx2",
                                               "neoni8mm", "neondot",    "portable"};
  return labels;
}

/// The two best instruction sets of the device. More would make the space large. "portable" is the last resort only.
Axis isa_axis(const DeviceInfo& device) {
  Axis axis = label_axis("isa", isa_labels());
  std::erase_if(axis.values, [&](std::int64_t i) {
    return !why_not_isa(isa_labels()[static_cast<std::size_t>(i)], device).empty();
  });
  if (axis.values.size() > 1) axis.values.pop_back();
  axis.values.resize(std::min<std::size_t>(2, axis.values.size()));
  return axis;
}

/// Blocks of K. 1024 comes first, because a 32-column panel of it fills two thirds of an L1 cache.
Axis k_axis(const Problem& problem) {
  const std::int64_t whole = round_up(problem.k, k_step);
  std::vector<std::int64_t> blocks;
  for (const std::int64_t block : {std::int64_t{1024}, std::int64_t{512}, std::int64_t{2048}}) {
    if (block < whole) blocks.push_back(block);
  }
  blocks.push_back(whole);
  if (blocks.size() > 3) blocks.erase(blocks.begin() + 1);
  return numeric_axis("kc", blocks);
}

const TileKernel* tile_of(const Point& point) {
  const Int8Isa* isa = find_int8_isa(point.label("isa"));
  return isa == nullptr ? nullptr : isa->tile(point["m"], point["n"]);
}

Constraint isa_constraint(const std::string& label, const DeviceInfo& device) {
  const std::string why = why_not_isa(label, device);
  return {.reason = why, .holds = [=](const Point& point) { return why.empty() || point.label("isa") != label; }};
}

Constraint tile_exists() {
  return {.reason = "there is no kernel of this tile size",
          .holds = [](const Point& point) { return tile_of(point) != nullptr; }};
}

Constraint tile_not_too_tall(std::int64_t m) {
  return {.reason = "a lower tile of this instruction set holds all rows", .holds = [=](const Point& point) {
            const auto tiles = find_int8_isa(point.label("isa"))->tiles;
            return std::none_of(tiles.begin(), tiles.end(),
                                [&](const TileKernel& tile) { return tile.m >= m && tile.m < point["m"]; });
          }};
}

Constraint tile_for_many_rows(std::int64_t m) {
  return {.reason = "tiles of four rows are for eight rows or fewer",
          .holds = [=](const Point& point) { return m <= 8 || point["m"] != 4 || point.label("isa") == "portable"; }};
}

Constraint whole_k_steps() {
  return {.reason = "the K block must be a multiple of 64",
          .holds = [](const Point& point) { return point["kc"] > 0 && point["kc"] % k_step == 0; }};
}

Constraint whole_tiles() {
  return {.reason = "the N block must be a multiple of the tile width",
          .holds = [](const Point& point) { return point["nb"] > 0 && point["nb"] % point["n"] == 0; }};
}

Constraint sane_threads() {
  return {.reason = "threads must be from 1 to 4096",
          .holds = [](const Point& point) { return point["t"] >= 1 && point["t"] <= most_threads; }};
}

/// Half of the cores can be faster than all of them, because two threads share a core's multipliers. Fewer threads pay
/// only for a call so short that waking threads matters.
Constraint threads_for_the_work(const Problem& problem, std::int64_t cores) {
  return {.reason = "more than 20 MFLOP a thread: use more cores", .holds = [=](const Point& point) {
            return 2 * point["t"] >= cores || flops(problem) <= 2e7 * static_cast<double>(point["t"]);
          }};
}

/// Blocks matter by a few percent, and instruction sets by far more. Blocks are therefore varied only for the fastest
/// one.
Constraint default_blocks_for_slower_isas(const std::vector<Axis>& axes) {
  const Axis &isa = axes.front(), &k_blocks = axes[axes.size() - 3], &n_blocks = axes[axes.size() - 2];
  const std::int64_t fastest = isa.values.front(), k = k_blocks.values.front(), n = n_blocks.values.front();
  return {.reason = "blocks are varied for the fastest instruction set only", .holds = [=](const Point& point) {
            return point.values()[0] == fastest || (point["kc"] == k && point["nb"] == n);
          }};
}

std::vector<Constraint> constraints(const Problem& problem, const DeviceInfo& device, const std::vector<Axis>& axes) {
  std::vector<Constraint> all{default_blocks_for_slower_isas(axes)};
  for (const std::string& label : isa_labels()) all.push_back(isa_constraint(label, device));
  all.push_back(tile_exists());
  all.push_back(tile_not_too_tall(problem.m));
  all.push_back(tile_for_many_rows(problem.m));
  all.push_back(whole_k_steps());
  all.push_back(whole_tiles());
  all.push_back(sane_threads());
  all.push_back(threads_for_the_work(problem, std::max<std::int64_t>(1, device.cu_num)));
  return all;
}

/// Up to two blocks of N, the widest ones that give every core a task.
Axis n_axis(const Problem& problem, std::int64_t cores) {
  std::vector<std::int64_t> blocks;
  for (const std::int64_t block : {std::int64_t{256}, std::int64_t{128}, std::int64_t{64}}) {
    const std::int64_t tasks = problem.batch * ceil_div(problem.n, block) * ceil_div(problem.m, 32);
    if (tasks >= cores || block == 64) blocks.push_back(block);
  }
  blocks.resize(std::min<std::size_t>(2, blocks.size()));
  return numeric_axis("nb", blocks);
}

/// The largest number of threads and the next two below it, to keep the space small.
Axis most_threads_axis(const DeviceInfo& device) {
  Axis axis = thread_axis(device.cu_num);
  axis.values.resize(std::min<std::size_t>(3, axis.values.size()));
  return axis;
}

std::vector<Axis> axes_of(const Problem& problem, const DeviceInfo& device) {
  return {isa_axis(device),
          numeric_axis("m", {32, 16, 6, 12, 8, 4, 3, 2}),
          numeric_axis("n", {32, 64, 8, 16}),
          k_axis(problem),
          n_axis(problem, device.cu_num),
          most_threads_axis(device)};
}

/// With few rows, reading the weights takes most of the time, and nibbles have half the bytes. With many rows,
/// expanding the nibbles again for each block of rows takes most of the time.
Axis packing_axis(const Problem& problem) {
  Axis axis = label_axis("packing", {"nibble", "fold"});
  if (problem.m > 32) std::reverse(axis.values.begin(), axis.values.end());
  return axis;
}

Constraint nibbles_for_few_rows(std::int64_t m) {
  return {.reason = "nibbles are expanded anew for each block of rows: not for more than 256",
          .holds = [=](const Point& point) { return m <= most_nibble_rows || point.label("packing") != "nibble"; }};
}

Constraint nibbles_by_panels() {
  return {
      .reason = "a tile narrower than a column panel would expand its nibbles twice",
      .holds = [](const Point& point) { return point["n"] >= panel_columns || point.label("packing") != "nibble"; }};
}

Constraint nibbles_by_one_k_block(std::int64_t k_block) {
  return {.reason = "nibbles are expanded in the default K block, which stays in the first-level cache",
          .holds = [=](const Point& point) { return point["kc"] == k_block || point.label("packing") != "nibble"; }};
}

ColumnPacking packing_of(const Point& point) {
  const bool has_axis = point.values().size() == 7;
  return has_axis && point.label("packing") == "nibble" ? ColumnPacking::nibble : ColumnPacking::int8;
}

}  // namespace

Space make_int8_space(const Problem& problem, const DeviceInfo& device) {
  std::vector<Axis> axes = axes_of(problem, device);
  std::vector<Constraint> conditions = constraints(problem, device, axes);
  return {"cpu_tile_int8", std::move(axes), std::move(conditions)};
}

Space make_mxfp4_space(const Problem& problem, const DeviceInfo& device) {
  std::vector<Axis> axes = axes_of(problem, device);
  axes.insert(axes.begin() + 1, packing_axis(problem));
  std::vector<Constraint> conditions = constraints(problem, device, axes);
  conditions.push_back(nibbles_for_few_rows(problem.m));
  conditions.push_back(nibbles_by_panels());
  conditions.push_back(nibbles_by_one_k_block(axes[axes.size() - 3].values.front()));
  return {"cpu_tile_mxfp4", std::move(axes), std::move(conditions)};
}

Int8Choice choice_of(const Point& point, const DeviceInfo& device) {
  const std::string& label = point.label("isa");
  if (const std::string why = why_not_isa(label, device); !why.empty())
    fail(ErrorCode::unsupported, "{}: {}", label, why);
  if (label == "amxint8" && !allow_amx_tiles()) fail(ErrorCode::unsupported, "the system does not allow AMX tiles");
  return {.isa = find_int8_isa(label),
          .tile = tile_of(point),
          .packing = packing_of(point),
          .k_block = point["kc"],
          .n_block = point["nb"],
          .threads = static_cast<int>(point["t"])};
}

}  // namespace gemmtune::cpu_tile
