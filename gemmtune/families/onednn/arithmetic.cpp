#include "gemmtune/families/onednn/arithmetic.h"

#include <algorithm>

namespace gemmtune::onednn {
namespace {

bool scales_whole_rows(const Side& side) {
  return side.scaling == Scaling::none || side.scaling == Scaling::tensor || side.scaling == Scaling::row;
}

bool plain(const Side& side, DType type) { return side.type == type && side.scaling == Scaling::none; }

bool both_plain(const Problem& problem, DType type) { return plain(problem.a, type) && plain(problem.w, type); }

bool has_scales(const Problem& problem) {
  return problem.a.scaling != Scaling::none || problem.w.scaling != Scaling::none;
}

/// Whether bf16 holds the stored values exactly, times their scales if these are E8M0 (powers of two). Other scales are
/// left to the product.
bool exact_in_bf16(const Side& side) {
  switch (side.type) {
    case DType::e2m1:
      return true;
    case DType::bf16:
    case DType::i8:
    case DType::e4m3:
    case DType::e4m3fnuz:
      return scales_whole_rows(side);
    default:
      return false;
  }
}

bool needs_scales_in_product(const Side& side) {
  return side.scaling == Scaling::tensor || side.scaling == Scaling::row;
}

Arithmetic direct_float(const Problem& problem, DType type) {
  const bool writes_output = problem.out == type;
  return {.tag = to_string(type), .operand = type, .product = writes_output ? type : DType::f32};
}

Arithmetic direct_int8() {
  return {.tag = "int8", .operand = DType::i8, .product = DType::i32, .scales_in_product = true};
}

Arithmetic through_bf16(const Problem& problem) {
  const bool scales = needs_scales_in_product(problem.a) || needs_scales_in_product(problem.w);
  const bool writes_output = problem.out == DType::bf16 && !scales;
  return {.tag = "deqbf16",
          .operand = DType::bf16,
          .product = writes_output ? DType::bf16 : DType::f32,
          .converts_a = problem.a.type != DType::bf16,
          .converts_w = problem.w.type != DType::bf16,
          .scales_in_product = scales};
}

Arithmetic through_f32(const Problem& problem) {
  return {.tag = "deqf32",
          .operand = DType::f32,
          .product = DType::f32,
          .converts_a = !plain(problem.a, DType::f32),
          .converts_w = !plain(problem.w, DType::f32)};
}

}  // namespace

std::string why_not_int8(const DeviceInfo& device) {
  const bool x86 = device.arch.starts_with("x86-64");
  const bool exact = std::ranges::any_of(device.features, [](const std::string& flag) {
    return flag == "avx512_vnni" || flag == "avx_vnni" || flag == "amx_int8";
  });
  // vpmaddubsw adds two products in 16 bits and clamps the sum.
  return x86 && !exact ? "oneDNN's int8 sums saturate on x86 without VNNI" : "";
}

std::vector<Arithmetic> arithmetics_for(const Problem& problem, const DeviceInfo& device) {
  std::vector<Arithmetic> found;
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    if (both_plain(problem, type)) found.push_back(direct_float(problem, type));
  }
  const bool int8 = problem.a.type == DType::i8 && problem.w.type == DType::i8;
  const bool whole_rows = scales_whole_rows(problem.a) && scales_whole_rows(problem.w);
  if (int8 && whole_rows && why_not_int8(device).empty()) found.push_back(direct_int8());
  if (both_plain(problem, DType::f32)) return found;
  const bool bf16 = exact_in_bf16(problem.a) && exact_in_bf16(problem.w);
  if (bf16 && !(both_plain(problem, DType::bf16) && !has_scales(problem))) found.push_back(through_bf16(problem));
  found.push_back(through_f32(problem));
  return found;
}

}  // namespace gemmtune::onednn
