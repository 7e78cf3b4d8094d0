#include "invented_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "gemmtune/dispatch/index/load_tables.h"

namespace gemmtune::bench {
namespace {

constexpr TableFamily family{.format = Format::a4w4, .packed = true};

struct Layer {
  std::string_view device{};
  std::int64_t n{};
  std::int64_t k{};
};

Layer invented_layer(std::mt19937_64& random) {
  constexpr std::string_view devices[] = {"gfx950,256", "gfx950,256", "gfx942,304", "gfx942,80"};
  return {.device = devices[random() % std::size(devices)],
          .n = static_cast<std::int64_t>(64 * (1 + random() % 1000)),
          .k = static_cast<std::int64_t>(256 * (1 + random() % 200))};
}

/// The powers of two, and some between.
std::vector<std::int64_t> invented_sizes(std::mt19937_64& random) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t m = 1; m <= 16384; m *= 2) sizes.push_back(m);
  for (auto count = 5 + random() % 20; count > 0; --count)
    sizes.push_back(static_cast<std::int64_t>(1 + random() % 8000));
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

void append_row(std::string& text, const Layer& layer, std::int64_t m) {
  const auto work_us = 4.0 + 1e-9 * static_cast<double>(m * layer.n) * static_cast<double>(layer.k) / 1000;
  fmt::format_to(std::back_inserter(text),
                 "{},{},{},{},{},0,{:.4f},_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_{}x{}E,{:.2f},194.57,0.0\n",
                 layer.device, m, layer.n, layer.k, m % 55, work_us, 32 * (1 + m % 8), 128 * (1 + layer.n % 8),
                 work_us);
}

}  // namespace

std::string table_text(std::int64_t row_count) {
  std::mt19937_64 random(2026);
  std::string text = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  while (row_count > 0) {
    const auto layer = invented_layer(random);
    for (const auto m : invented_sizes(random))
      if (row_count-- > 0) append_row(text, layer, m);
  }
  return text;
}

Workload workload(std::int64_t row_count) {
  Workload result;
  TableIndexBuilder builder({});
  const TableSource source{.path = "invented.csv", .family = family};
  (void)read_rows(table_text(row_count), source, [&](const TunedRow& row, std::int64_t line) {
    builder.add(row, family, {.file = "invented.csv", .line = line});
    if (row.cu_num == 256) result.hits.push_back(row.problem);
  });
  std::ranges::shuffle(result.hits, std::mt19937_64(7));
  for (auto problem : result.hits) {
    problem.m += 100'000;  // pads to more than any row has
    result.misses.push_back(problem);
  }
  result.index = std::move(builder).build();
  return result;
}

}  // namespace gemmtune::bench
