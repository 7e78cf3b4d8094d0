#include "gemmtune/gemm/scaling.h"

#include <array>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 14> names{"none",      "tensor",  "row",       "1x128",      "128x128",
                                                 "1x32",      "1x16",    "1x32f16",   "q8",         "32x32",
                                                 "fp8_1x128", "fp8_row", "1x128e8m0", "128x128e8m0"};

std::int64_t blocks(std::int64_t count, std::int64_t block) { return ceil_div(count, block); }

}  // namespace

std::string_view to_string(Scaling scaling) { return names[static_cast<std::size_t>(scaling)]; }

std::optional<Scaling> parse_scaling(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(text, names[i])) return static_cast<Scaling>(i);
  return std::nullopt;
}

std::string_view why_no_pair(DType type, Scaling scaling) {
  if (type == DType::e2m1 && scaling != Scaling::mx_1x32 && scaling != Scaling::nv_1x16)
    return "e2m1 has 1x32 or 1x16 scales";
  if (type != DType::e2m1 && scaling == Scaling::nv_1x16) return "1x16 scales are for e2m1";
  if (type != DType::e2m1 && type != DType::e4m3 && scaling == Scaling::mx_1x32)
    return "1x32 scales are for e2m1 and e4m3";
  if (type != DType::e4m3 && scaling == Scaling::mx_32x32) return "32x32 scales are for e4m3";
  if (type != DType::e4m3 && with_float_scales(scaling) != scaling) return "E8M0 scales for blocks of 128 are for e4m3";
  const bool has_f16 = scaling == Scaling::f16_1x32;
  if (has_f16 && type != DType::i4 && type != DType::i8) return "1x32f16 scales are for int4 and int8";
  if (type == DType::i4 && !has_f16) return "int4 has 1x32f16 scales";
  const bool is_float = is_half(type) || type == DType::f32;
  if (scaling == Scaling::q8_in_call && !is_float) return "q8 is for bf16, f16 and f32, which the call quantises";
  if (is_fp8_in_call(scaling) && !is_float)
    return "fp8_1x128 and fp8_row are for bf16, f16 and f32, which the call quantises";
  return {};
}

ScaleGrid scale_grid(Scaling scaling, std::int64_t rows, std::int64_t k) {
  switch (scaling) {
    case Scaling::none:
    case Scaling::q8_in_call:
    case Scaling::fp8_1x128:
    case Scaling::fp8_row:
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
    case Scaling::nv_1x16:
      return {.rows = rows,
              .cols = blocks(k, 16),
              .row_block = 1,
              .k_block = 16,
              .type = DType::e4m3,
              .has_tensor_scale = true};
    case Scaling::f16_1x32:
      return {.rows = rows, .cols = blocks(k, 32), .row_block = 1, .k_block = 32, .type = DType::f16};
    case Scaling::mx_32x32:
      return {.rows = blocks(rows, 32), .cols = blocks(k, 32), .row_block = 32, .k_block = 32, .type = DType::e8m0};
    case Scaling::e8m0_1x128:
    case Scaling::e8m0_128x128: {
      auto grid = scale_grid(with_float_scales(scaling), rows, k);
      grid.type = DType::e8m0;
      return grid;
    }
  }
  return {};
}

std::int64_t ScaleGrid::tensor_scale_offset() const { return round_up(storage_bytes(type, count()), 4); }

std::int64_t ScaleGrid::bytes() const {
  return has_tensor_scale ? tensor_scale_offset() + 4 : storage_bytes(type, count());
}

}  // namespace gemmtune
