// Compares the NEON kernels for weights in scaled blocks with the portable ones, on random panels. A program of its
// own, because neon_test.py builds it for another machine than the tests run on. Ends with 0 if all agree.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "gemmtune/families/cpu_tile/block_kernels.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t blocks = 9;  // more than two steps
constexpr std::int64_t height = 4;

struct Panels {
  std::vector<std::byte> a{};
  std::vector<std::byte> w{};
};

std::int64_t block_bytes(BlockRows form, BlockWeights weights) {
  if (form == BlockRows::f32) return height * 128;
  return height * (block_length + 4 + (weights == BlockWeights::nvfp4 ? 8 : 4));
}

std::vector<std::byte> random_weights(BlockWeights weights, std::mt19937& random) {
  const std::size_t values = weights == BlockWeights::q8_0 ? 512 : 256;
  const std::size_t scales = weights == BlockWeights::mxfp4 ? 16 : 32;
  std::vector<std::byte> w(3 * blocks_of_step * (values + scales));
  for (std::byte& byte : w) byte = static_cast<std::byte>(random());
  for (std::size_t step = 0; step < 3; ++step) {
    std::byte* from = w.data() + blocks_of_step * (step * (values + scales) + values);
    for (std::size_t i = 0; i < blocks_of_step * scales; ++i) {
      if (weights == BlockWeights::mxfp4)
        from[i] = static_cast<std::byte>(random() % 50 == 0 ? 0 : 110 + random() % 30);
      if (weights == BlockWeights::nvfp4) from[i] = static_cast<std::byte>(random() % 0x7f);
      if (scales == 32 && weights != BlockWeights::nvfp4 && i % 2 == 1)
        from[i] = static_cast<std::byte>(0x20 + random() % 8);
    }
  }
  return w;
}

Panels random_panels(const BlockKernels& kernels, BlockWeights weights, std::mt19937& random) {
  Panels panels{.w = random_weights(weights, random)};
  const std::int64_t bytes = block_bytes(kernels.form, weights);
  panels.a.resize(static_cast<std::size_t>(blocks * bytes));
  for (std::int64_t r = 0; r < height; ++r) {
    std::vector<float> row(blocks * block_length);
    for (float& value : row) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 512;
    kernels.pack_row({.row = reinterpret_cast<const std::byte*>(row.data()),
                      .source = Source::f32,
                      .k = blocks * block_length - 3,
                      .last_block = blocks,
                      .panel = panels.a.data(),
                      .block_bytes = bytes,
                      .height = height,
                      .inside = r,
                      .groups = weights == BlockWeights::nvfp4 ? 2 : 1,
                      .offset = 0});
  }
  return panels;
}

/// The largest difference of any element, relative to the largest element.
double difference(const BlockKernels& kernels, const BlockKernels& portable, BlockWeights weights, std::int64_t rows) {
  std::mt19937 random(static_cast<unsigned>(20261129 + rows));
  const Panels panels = random_panels(portable, weights, random);
  std::vector<float> expected(height * block_columns, 1.0F), got = expected;
  const BlockTileKey key{.weights = weights, .rows = rows};
  const BlockTileJob job{
      .a = panels.a.data(), .w = panels.w.data(), .blocks = blocks, .height = height, .accumulate = 1};
  for (auto [c, run] : {std::pair{&expected, portable.tile(key)}, {&got, kernels.tile(key)}}) {
    BlockTileJob own = job;
    own.c = c->data();
    run(own);
  }
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::fmax(largest, std::fabs(expected[i]));
    const double apart = std::fabs(static_cast<double>(got[i]) - expected[i]);
    worst = apart > worst || std::isnan(apart) ? apart : worst;
  }
  return worst / largest;
}

int check(const char* name, const BlockKernels& kernels, const BlockKernels& portable) {
  int wrong = 0;
  for (const auto weights : {BlockWeights::mxfp4, BlockWeights::nvfp4, BlockWeights::q4_0, BlockWeights::q8_0})
    for (const std::int64_t rows : {1, 2, 3, 4}) {
      if (kernels.form == BlockRows::f32 && weights == BlockWeights::q8_0) continue;
      const double apart = difference(kernels, portable, weights, rows);
      const bool right = apart < 1e-6;
      if (!right)
        std::printf("%s, weights %d, %d rows: %g apart\n", name, static_cast<int>(weights), static_cast<int>(rows),
                    apart);
      wrong += right ? 0 : 1;
    }
  return wrong;
}

}  // namespace
}  // namespace gemmtune::cpu_tile

int main() {
  using namespace gemmtune::cpu_tile;
  return check("dot products", block_int8_neondot(), block_int8_portable()) +
         check("matrix products", block_int8_neoni8mm(), block_int8_portable()) +
         check("floats", block_f32_neon(), block_f32_portable());
}
