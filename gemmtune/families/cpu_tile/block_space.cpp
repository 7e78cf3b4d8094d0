#include "gemmtune/families/cpu_tile/block_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cpu_tile/block_columns.h"
#include "gemmtune/families/cpu_tile/block_isas.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/float_space.h"
#include "gemmtune/families/cpu_tile/isa.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t k_multiple = block_length * blocks_of_step;

std::string weights_label(BlockWeights weights) {
  switch (weights) {
    case BlockWeights::mxfp4:
      return "mxfp4";
    case BlockWeights::nvfp4:
      return "nvfp4";
    case BlockWeights::q4_0:
      return "q40";
    case BlockWeights::q8_0:
      return "q80";
  }
  return "";
}

std::string prefix_of(const Problem& problem) {
  const std::string rows = is_q8_in_call(problem.a) ? "q8" : std::string(to_string(problem.a.type));
  return fmt::format("cpu_tile_{}x{}", rows, weights_label(block_weights_of(problem.w)));
}

const BlockKernels& kernels_of(const Problem& problem, const Point& point) {
  return find_block_isa(problem, point.label("isa"))->kernels();
}

/// The height of the lowest tile that holds all rows, or of the tallest one.
std::int64_t full_height(const Problem& problem, const BlockKernels& kernels) {
  return kernels.height(std::min(problem.m, kernels.tallest));
}

bool has_one_row_panel(const Problem& problem, const Point& point) { return problem.m <= point["m"]; }

std::vector<std::string> labels_of(const Problem& problem) {
  std::vector<std::string> labels;
  for (const BlockIsa& isa : block_isas(problem)) labels.emplace_back(isa.label);
  return labels;
}

constexpr std::int64_t fewest_amx_rows = 8;

bool is_amx(const std::string& isa) { return isa.starts_with("amx"); }

/// The two best instruction sets of the device for the problem.
std::vector<std::string> best_isas(const Problem& problem, const DeviceInfo& device) {
  std::vector<std::string> best;
  for (const std::string& label : labels_of(problem)) {
    if (!why_not_isa(label, device).empty()) continue;
    if (is_amx(label) && problem.m < fewest_amx_rows) continue;
    if (best.size() < 2 && (best.empty() || label != "portable")) best.push_back(label);
  }
  return best;
}

std::vector<Constraint> isa_limits(const Problem& problem, const DeviceInfo& device) {
  std::vector<Constraint> all;
  for (const std::string& label : labels_of(problem)) {
    const std::string why = why_not_isa(label, device);
    if (why.empty()) continue;
    all.push_back({fmt::format("{}: {}", label, why), [label](const Point& p) { return p.label("isa") != label; }});
  }
  const std::vector<std::string> best = best_isas(problem, device);
  all.push_back({fmt::format("two better instruction sets are there, or AMX has fewer than {} rows", fewest_amx_rows),
                 [best](const Point& p) { return std::find(best.begin(), best.end(), p.label("isa")) != best.end(); }});
  return all;
}

/// Blocks and heights matter by a few percent, and instruction sets by far more.
std::vector<Constraint> slower_isa_limits(const Problem& problem, const DeviceInfo& device, std::int64_t k_block) {
  const std::string fastest = best_isas(problem, device).front();
  return {{"heights and blocks are varied for the fastest instruction set only", [=](const Point& p) {
             const bool usual = has_one_row_panel(problem, p) || p["kc"] == k_block;
             return p.label("isa") == fastest ||
                    (usual && p["nb"] == 256 && p["m"] == full_height(problem, kernels_of(problem, p)));
           }}};
}

std::vector<Constraint> tile_limits(const Problem& problem) {
  return {
      {"no kernel has a tile of this height",
       [problem](const Point& p) {
         const BlockKernels& kernels = kernels_of(problem, p);
         return p["m"] >= 1 && p["m"] <= kernels.tallest && kernels.height(p["m"]) == p["m"];
       }},
      {"a lower tile holds all rows",
       [problem](const Point& p) { return p["m"] <= full_height(problem, kernels_of(problem, p)); }},
      {"tiles of at most half the height decode the weights twice as often",
       [problem](const Point& p) {
         const BlockKernels& kernels = kernels_of(problem, p);
         return 2 * p["m"] > full_height(problem, kernels) || decodes_columns(kernels, p["m"], problem.m);
       }},
      {"one tile holds all rows, and lower ones decode the weights more often",
       [problem](const Point& p) {
         const std::int64_t full = full_height(problem, kernels_of(problem, p));
         return problem.m > full || p["m"] == full;
       }},
  };
}

std::vector<Constraint> block_limits(const Problem& problem) {
  const std::int64_t whole = round_up(problem.k, k_multiple);
  return {
      {fmt::format("the K block must be a positive multiple of {}", k_multiple),
       [](const Point& p) { return p["kc"] > 0 && p["kc"] % k_multiple == 0; }},
      {"the N block must be a positive multiple of 16",
       [](const Point& p) { return p["nb"] > 0 && p["nb"] % block_columns == 0; }},
      {"with one panel of rows nothing is read twice, so all of K is one block",
       [problem, whole](const Point& p) { return !has_one_row_panel(problem, p) || p["kc"] >= whole; }},
      {"with one panel of rows, blocks of N have nothing to share",
       [problem](const Point& p) { return !has_one_row_panel(problem, p) || p["nb"] == 256; }},
  };
}

Axis k_axis(const Problem& problem) {
  const std::int64_t whole = round_up(problem.k, k_multiple);
  std::vector<std::int64_t> blocks;
  for (const std::int64_t block : {std::int64_t{1024}, std::int64_t{2048}}) {
    if (block < whole) blocks.push_back(block);
  }
  blocks.push_back(whole);
  return numeric_axis("kc", blocks);
}

}  // namespace

bool has_block_kernels(const Problem& problem) {
  if (!are_block_weights(problem.w)) return false;
  if (is_q8_in_call(problem.a)) return true;
  const bool is_float = is_half(problem.a.type) || problem.a.type == DType::f32;
  return is_float && problem.a.scaling == Scaling::none && !is_q8_0(problem.w);
}

Space make_block_space(const Problem& problem, const DeviceInfo& device) {
  std::vector<Constraint> limits = isa_limits(problem, device);
  const Axis k_blocks = k_axis(problem);
  for (auto& more : {tile_limits(problem), block_limits(problem), thread_constraints(problem, device),
                     slower_isa_limits(problem, device, k_blocks.values.front())}) {
    limits.insert(limits.end(), more.begin(), more.end());
  }
  const std::vector<Axis> axes{label_axis("isa", labels_of(problem)), numeric_axis("m", {16, 12, 8, 6, 4, 3, 2, 1}),
                               k_blocks, numeric_axis("nb", {256, 64}), thread_axis(device.cu_num)};
  return {prefix_of(problem), axes, limits};
}

BlockChoice block_choice_of(const Problem& problem, const Point& point, const DeviceInfo& device) {
  const std::string& label = point.label("isa");
  if (const std::string why = why_not_isa(label, device); !why.empty())
    fail(ErrorCode::unsupported, "{}: {}", label, why);
  if (is_amx(label) && !allow_amx_tiles()) fail(ErrorCode::unsupported, "the system does not allow AMX tiles");
  const BlockIsa& isa = *find_block_isa(problem, label);
  return {.kernels = &isa.kernels(),
          .finish = float_kernels(isa.finish_label).finish(sink_of(problem.out)),
          .height = point["m"],
          .k_block = point["kc"],
          .n_block = point["nb"],
          .threads = static_cast<int>(point["t"])};
}

}  // namespace gemmtune::cpu_tile
