#include "gemmtune/exchange/blas_types.h"

#include <algorithm>
#include <array>

namespace gemmtune {
namespace {

struct TypeName {
  std::string_view name;
  DType type;
};

constexpr std::array<TypeName, 8> type_names{{{"f64_r", DType::f64},
                                              {"f32_r", DType::f32},
                                              {"f16_r", DType::f16},
                                              {"bf16_r", DType::bf16},
                                              {"f8_r", DType::e4m3},
                                              {"f8_fnuz_r", DType::e4m3fnuz},
                                              {"i8_r", DType::i8},
                                              {"i32_r", DType::i32}}};

}  // namespace

std::optional<DType> parse_blas_type(std::string_view text) {
  const auto* known = std::ranges::find(type_names, text, &TypeName::name);
  return known == type_names.end() ? std::nullopt : std::optional(known->type);
}

std::string_view blas_type_name(DType type) {
  const auto* known = std::ranges::find(type_names, type == DType::tf32 ? DType::f32 : type, &TypeName::type);
  return known == type_names.end() ? std::string_view() : known->name;
}

}  // namespace gemmtune
