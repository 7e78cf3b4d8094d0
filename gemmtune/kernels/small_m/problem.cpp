#include "gemmtune/kernels/small_m/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::int64_t most_batches = 65'535;  // the limit of a grid's second dimension

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

}  // namespace

std::int64_t small_m_tiles(const Problem& problem, const SmallMCut& cut) {
  return problem.batch * ceil_div(problem.m, cut.rows_a) * ceil_div(ceil_div(problem.n, 64), cut.row_groups);
}

unsigned small_m_blocks(const Problem& problem, const SmallMCut& cut, std::int64_t multiprocessors) {
  const auto tiles = small_m_tiles(problem, cut);
  const auto clusters = std::max<std::int64_t>(multiprocessors / cut.cluster, 1);
  return static_cast<unsigned>(ceil_div(tiles, ceil_div(tiles, clusters)) * cut.cluster);
}

std::string why_no_small_m_sizes(const Problem& problem, const SmallMCut& cut) {
  if (problem.k % 32 != 0) return "K must be a multiple of 32";
  if (problem.batch > most_batches) return "more than 65535 batches";
  const bool all_fit = fits(problem.m) && fits(problem.n) && fits(problem.k) && fits(small_m_tiles(problem, cut));
  return all_fit ? "" : "too large";
}

SmallMSizes small_m_sizes(const Problem& p, std::int64_t rows_a) {
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  return {.m = narrow(p.m),
          .n = narrow(p.n),
          .k = narrow(p.k),
          .batch = narrow(p.batch),
          .m_tiles = narrow(ceil_div(p.m, rows_a)),
          .w_tiles = narrow(ceil_div(p.n, 64))};
}

std::string small_m_option(std::string_view name, std::int64_t value) {
  return fmt::format("-DSMALL_M_{}={}", name, value);
}

}  // namespace gemmtune
