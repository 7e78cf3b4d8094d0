// Prints operands as gemmtune draws and quantises them, for comparison with those of a worker in another language.
// Each line of stdin is `draw PROBLEM RECIPE SEED`, `quantise SIDE ROWS K BITS…` or `multiplied SIDE ROWS K BITS…`
// (floats as hexadecimal bits; the last one asks for the real values that a product takes). Each answer is one line:
// names and bytes in hexadecimal, `a:0f3e a_scale:… w:…`.
#include <bit>
#include <cstdint>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

void print(const char* name, std::span<const std::byte> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  if (bytes.empty()) return;
  std::string text;
  for (const auto byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4U];
    text += digits[std::to_integer<unsigned>(byte) & 15U];
  }
  std::cout << name << ':' << text << ' ';
}

void draw(std::istream& line) {
  std::string problem;
  std::string recipe;
  std::uint64_t seed{};
  line >> problem >> recipe >> seed;
  const auto drawn = draw_operands(parse_problem(problem), parse_recipe(recipe).value(), seed);
  print("a", drawn.a);
  print("a_scale", drawn.a_scale);
  print("w", drawn.w);
  print("w_scale", drawn.w_scale);
  print("bias", drawn.bias);
  print("residual", drawn.residual);
}

/// Scales of 128x128 are for weights, all others may be A's.
Side parse_side(const std::string& text) {
  if (text.ends_with("/128x128")) return parse_problem("1x1x256:bf16:" + text + ":f32").w;
  return parse_problem("1x1x256:" + text + ":bf16:f32").a;
}

struct Matrix {
  Side side{};
  std::int64_t rows{};
  std::int64_t k{};
  Quantised quantised{};
};

Matrix quantise_line(std::istream& line) {
  std::string side;
  Matrix found;
  line >> side >> found.rows >> found.k >> std::hex;
  std::vector<float> values;
  for (std::uint32_t bits{}; line >> bits;) values.push_back(std::bit_cast<float>(bits));
  found.side = parse_side(side);
  found.quantised = quantise(values, found.rows, found.k, found.side);
  return found;
}

void print_quantised(std::istream& line) {
  const auto found = quantise_line(line);
  print("values", found.quantised.values);
  print("scales", found.quantised.scales);
}

void print_multiplied(std::istream& line) {
  const auto found = quantise_line(line);
  const auto real = dequantise(found.quantised, found.rows, found.k, found.side);
  print("real", std::as_bytes(std::span(real)));
}

}  // namespace
}  // namespace gemmtune

int main() {
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "draw")
      gemmtune::draw(line);
    else if (what == "multiplied")
      gemmtune::print_multiplied(line);
    else
      gemmtune::print_quantised(line);
    std::cout << std::endl;
  }
}
