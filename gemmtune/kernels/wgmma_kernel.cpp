#include "gemmtune/kernels/wgmma_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_arguments.h"

namespace gemmtune {
namespace {

constexpr std::int64_t step_k = 128;

std::int64_t out_bytes(const Problem& problem) { return storage_bytes(problem.out, 1); }

/// Whether rows of C can be copied in bulk.
bool stores_tiles(const Problem& problem) { return problem.n * out_bytes(problem) % 16 == 0; }

std::int64_t m_tiles(const Problem& problem, const WgmmaCut& cut) {
  return ceil_div(problem.m, cut.block_m * cut.cluster_m);
}
std::int64_t n_tiles(const Problem& problem, const WgmmaCut& cut) {
  return ceil_div(problem.n, cut.block_n * cut.cluster_n);
}

/// The part of an operand's tile that one block of a cluster loads, for one step along K.
TensorExtent part_of_operand(const Problem& problem, std::int64_t rows, std::int64_t part_rows) {
  return {.columns = problem.k,
          .rows = rows,
          .batch = problem.batch,
          .element_bytes = 1,
          .box_columns = static_cast<unsigned>(step_k),
          .box_rows = static_cast<unsigned>(part_rows)};
}

TensorExtent piece_of_c(const Problem& problem) {
  const auto bytes = static_cast<unsigned>(out_bytes(problem));
  return {.columns = problem.n,
          .rows = problem.m,
          .batch = problem.batch,
          .element_bytes = bytes,
          .box_columns = 128 / bytes,
          .box_rows = wgmma_piece_rows};
}

/// The order of tiles: groups along one side go along the other.
void set_groups(WgmmaArguments& g, const WgmmaCut& cut) {
  g.group_along_n = cut.order == TileOrder::along_n;
  const auto along = g.group_along_n != 0 ? g.n_tiles : g.m_tiles;
  const auto across = g.group_along_n != 0 ? g.m_tiles : g.n_tiles;
  g.group = static_cast<std::int32_t>(std::min<std::int64_t>(cut.group, along));
  const auto last = along % g.group;
  g.per_group = wgmma_reciprocal(g.group * across);
  g.per_row = wgmma_reciprocal(g.group);
  g.per_last_row = wgmma_reciprocal(last == 0 ? g.group : last);
}

WgmmaArguments arguments_of(const Problem& p, const WgmmaCut& cut, const WgmmaAddresses& at) {
  WgmmaArguments g{.a_scale = at.a_scales,
                   .w_scale = at.w_scales,
                   .bias = reinterpret_cast<const unsigned char*>(at.bias),
                   .c = reinterpret_cast<unsigned char*>(at.c),
                   .partials = reinterpret_cast<unsigned char*>(at.partial_sums),
                   .m = static_cast<std::int32_t>(p.m),
                   .n = static_cast<std::int32_t>(p.n),
                   .steps = static_cast<std::int32_t>(ceil_div(p.k, step_k)),
                   .batch = static_cast<std::int32_t>(p.batch),
                   .m_tiles = static_cast<std::int32_t>(m_tiles(p, cut)),
                   .n_tiles = static_cast<std::int32_t>(n_tiles(p, cut)),
                   .splits = static_cast<std::int32_t>(cut.split_k),
                   .whole = static_cast<std::int32_t>(cut.whole)};
  set_groups(g, cut);
  return g;
}

}  // namespace

std::int64_t wgmma_tiles(const Problem& problem, const WgmmaCut& cut) {
  return m_tiles(problem, cut) * n_tiles(problem, cut) * problem.batch;
}

std::int64_t wgmma_units(const Problem& problem, const WgmmaCut& cut) {
  return cut.whole + (wgmma_tiles(problem, cut) - cut.whole) * cut.split_k;
}

std::int64_t clusters_at_once(const WgmmaCut& cut, std::int64_t multiprocessors) {
  return std::max<std::int64_t>(multiprocessors / cut.cluster(), 1);
}

std::int64_t wgmma_staging_bytes(std::int64_t staging) {
  return staging * 2 * 4 * wgmma_piece_rows * 128;  // warpgroups, and warps of each
}

std::int64_t wgmma_staging(std::int64_t rows, std::int64_t columns, std::int64_t other_bytes, std::int64_t least) {
  const auto pieces = rows / (4 * wgmma_piece_rows) * ceil_div(columns, 64);
  const auto that_fit = (most_wgmma_shared_bytes - other_bytes) / wgmma_staging_bytes(1);
  return std::max(std::min(pieces, that_fit), least);
}

std::vector<std::string> wgmma_options(const Problem& problem, const WgmmaCut& cut, const WgmmaMemory& memory,
                                       const Macros& more) {
  std::vector<std::string> options{"--std=c++20", "--device-as-default-execution-space"};
  const auto define = [&](const Macros& macros) {
    for (const auto& [name, value] : macros) options.push_back(fmt::format("-D{}={}", name, value));
  };
  define({{"BLOCK_M", cut.block_m},
          {"BLOCK_N", cut.block_n},
          {"STAGES", memory.stages},
          {"STAGING", memory.staging},
          {"CLUSTER_M", cut.cluster_m},
          {"CLUSTER_N", cut.cluster_n},
          {"OUT_BYTES", out_bytes(problem)},
          {"OUT_IS_F16", problem.out == DType::f16},
          {"HAS_BIAS", problem.epilogue.bias},
          {"STORES_TILES", stores_tiles(problem)}});
  define(more);
  return options;
}

WgmmaKernel::WgmmaKernel(const KernelSource& source, const Problem& problem, const WgmmaCut& cut,
                         std::int64_t shared_bytes, std::int64_t multiprocessors)
    : problem_(problem),
      cut_(cut),
      shared_bytes_(static_cast<unsigned>(shared_bytes)),
      module_(compile_kernel(source)),
      function_(module_.function("wgmma_gemm", shared_bytes_)) {
  const auto units = wgmma_units(problem, cut);
  const auto at_once = clusters_at_once(cut, multiprocessors);
  blocks_ = static_cast<unsigned>(std::min(at_once, units) * cut.cluster());
  start_ = units <= at_once ? LaunchStart::early : LaunchStart::after_previous;
}

std::size_t WgmmaKernel::partial_bytes() const {
  if (cut_.split_k == 1) return 0;
  const auto parts = (wgmma_tiles(problem_, cut_) - cut_.whole) * cut_.cluster() * cut_.split_k;
  return static_cast<std::size_t>(parts * cut_.block_m * cut_.block_n * 4);
}

void WgmmaKernel::launch_or_throw(const WgmmaAddresses& at, Stream& stream) const {
  const auto a = module_.tensor_map(at.a, part_of_operand(problem_, problem_.m, cut_.block_m / cut_.cluster_n));
  const auto w = module_.tensor_map(at.w, part_of_operand(problem_, problem_.n, cut_.block_n / cut_.cluster_m));
  const auto c = stores_tiles(problem_) ? module_.tensor_map(at.c, piece_of_c(problem_)) : TensorMap{};
  module_.launch(stream, function_,
                 {.grid = {blocks_},
                  .block = {wgmma_threads},
                  .shared_bytes = shared_bytes_,
                  .cluster = static_cast<unsigned>(cut_.cluster()),
                  .start = start_},
                 a, w, c, arguments_of(problem_, cut_, at));
}

void WgmmaKernel::launch(const WgmmaAddresses& at, Stream& stream) const noexcept {
  try {
    launch_or_throw(at, stream);
  } catch (const std::exception& error) {
    stream.report_failure(error.what());
  }
}

}  // namespace gemmtune
