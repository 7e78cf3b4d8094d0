#include "gemmtune/gemm/dtype.h"

#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

struct Spelling {
  DType type;
  std::string_view name;
  std::string_view torch;  // after "torch." or "dtypes."
  int bits;
};

constexpr std::array<Spelling, 12> spellings{{
    {DType::f64, "f64", "float64", 64},
    {DType::f32, "f32", "float32", 32},
    {DType::f16, "f16", "float16", 16},
    {DType::bf16, "bf16", "bfloat16", 16},
    {DType::e4m3, "e4m3", "float8_e4m3fn", 8},
    {DType::e4m3fnuz, "e4m3fnuz", "float8_e4m3fnuz", 8},
    {DType::i8, "int8", "int8", 8},
    {DType::i32, "int32", "int32", 32},
    {DType::e2m1, "e2m1", "float4_e2m1fn_x2", 4},
    {DType::e8m0, "e8m0", "float8_e8m0fnu", 8},
    {DType::tf32, "tf32", "tf32", 32},
    {DType::i4, "int4", "int4", 4},
}};

struct Alias {
  std::string_view text;
  DType type;
};

constexpr std::array<Alias, 17> aliases{{{"double", DType::f64},
                                         {"fp32", DType::f32},
                                         {"float", DType::f32},
                                         {"fp16", DType::f16},
                                         {"half", DType::f16},
                                         {"fp8", DType::e4m3},
                                         {"f8", DType::e4m3},
                                         {"float8", DType::e4m3},
                                         {"fp8_e4m3", DType::e4m3},
                                         {"i8", DType::i8},
                                         {"s8", DType::i8},
                                         {"i32", DType::i32},
                                         {"i4", DType::i4},
                                         {"fp4", DType::e2m1},
                                         {"fp4x2", DType::e2m1},
                                         {"mxfp4", DType::e2m1},
                                         {"fp8_e8m0", DType::e8m0}}};

const Spelling& spelling(DType type) { return spellings[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view to_string(DType type) { return spelling(type).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  const std::string lower = to_lower(text);
  std::string_view bare = lower;
  for (const std::string_view prefix : {"torch.", "dtypes."})
    if (bare.starts_with(prefix)) bare.remove_prefix(prefix.size());
  for (const auto& known : spellings)
    if (bare == known.name || bare == known.torch) return known.type;
  for (const auto& alias : aliases)
    if (bare == alias.text) return alias.type;
  return std::nullopt;
}

std::string_view torch_name(DType type) {
  constexpr std::array<std::string_view, 12> names{
      "torch.float64",          "torch.float32",         "torch.float16", "torch.bfloat16",
      "torch.float8_e4m3fn",    "torch.float8_e4m3fnuz", "torch.int8",    "torch.int32",
      "torch.float4_e2m1fn_x2", "torch.float8_e8m0fnu",  "tf32",          "torch.int4"};
  return names[static_cast<std::size_t>(type)];
}

int bits(DType type) { return spelling(type).bits; }

std::int64_t storage_bytes(DType type, std::int64_t count) { return (count * bits(type) + 7) / 8; }

}  // namespace gemmtune
