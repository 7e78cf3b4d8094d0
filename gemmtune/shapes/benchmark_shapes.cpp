#include "gemmtune/shapes/benchmark_shapes.h"

#include <array>
#include <cstdint>

namespace gemmtune {
namespace {

struct Size {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

constexpr std::array<Size, 15> large{{{16384, 16384, 32768},
                                      {16384, 8192, 32768},
                                      {16384, 32768, 16384},
                                      {32768, 16384, 16384},
                                      {32768, 32768, 16384},
                                      {8192, 32768, 16384},
                                      {8192, 16384, 32768},
                                      {32768, 16384, 8192},
                                      {65536, 16384, 8192},
                                      {4736, 44416, 17920},
                                      {4480, 54400, 36224},
                                      {59520, 7680, 35200},
                                      {48896, 6144, 18304},
                                      {5248, 25344, 18816},
                                      {6528, 7040, 5632}}};

constexpr std::array<std::int64_t, 4> tokens{1, 16, 64, 128};

struct Layer {
  std::int64_t n;
  std::int64_t k;
};

constexpr std::array<Layer, 5> layers{{{8192, 8192}, {57344, 8192}, {8192, 28672}, {7168, 2048}, {1536, 7168}}};

Problem sized(Problem problem, const Size& size) {
  problem.m = size.m;
  problem.n = size.n;
  problem.k = size.k;
  return problem;
}

}  // namespace

std::vector<Problem> benchmark_shapes(Format format) {
  const auto any_size = format_defaults(format);
  std::vector<Problem> problems;
  for (const auto& size : large) problems.push_back(sized(any_size, size));
  for (const auto& [n, k] : layers)
    for (const auto m : tokens) problems.push_back(sized(any_size, {m, n, k}));
  return problems;
}

}  // namespace gemmtune
