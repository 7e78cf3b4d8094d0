#include "gemmtune/gemm/scaling.h"

#include <array>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 6> names{"none", "tensor", "row", "1x128", "128x128", "1x32"};

std::int64_t blocks(std::int64_t count, std::int64_t block) { return ceil_div(count, block); }

}  // namespace

std::string_view to_string(Scaling scaling) { return names[static_cast<std::size_t>(scaling)]; }

std::optional<Scaling> parse_scaling(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(text, names[i])) return static_cast<Scaling>(i);
  return std::nullopt;
}

ScaleGrid scale_grid(Scaling scaling, std::int64_t rows, std::int64_t k) {
  switch (scaling) {
    case Scaling::none:
      return {};
    case Scaling::tensor:
      return {.rows = 1, .cols = 1, .row_block = rows, .k_block = k};
    case Scaling::row:
      return {.rows = rows, .cols = 1, .row_block = 1, .k_block = k};
    case Scaling::block_1x128:
      return {.rows = rows, .cols = blocks(k, 128), .row_block = 1, .k_block = 128};
    case Scaling::block_128x128:
      return {.rows = blocks(rows, 128), .cols = blocks(k, 128), .row_block = 128, .k_block = 128};
    case Scaling::mx_1x32:
      return {.rows = rows, .cols = blocks(k, 32), .row_block = 1, .k_block = 32, .type = DType::e8m0};
  }
  return {};
}

}  // namespace gemmtune
