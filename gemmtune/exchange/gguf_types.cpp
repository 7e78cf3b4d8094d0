#include "gemmtune/exchange/gguf_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gemmtune {
namespace {

constexpr std::array types{
    GgufType{0, "F32", 1, 4},         GgufType{1, "F16", 1, 2},         GgufType{2, "Q4_0", 32, 18},
    GgufType{3, "Q4_1", 32, 20},      GgufType{6, "Q5_0", 32, 22},      GgufType{7, "Q5_1", 32, 24},
    GgufType{8, "Q8_0", 32, 34},      GgufType{9, "Q8_1", 32, 36},      GgufType{10, "Q2_K", 256, 84},
    GgufType{11, "Q3_K", 256, 110},   GgufType{12, "Q4_K", 256, 144},   GgufType{13, "Q5_K", 256, 176},
    GgufType{14, "Q6_K", 256, 210},   GgufType{15, "Q8_K", 256, 292},   GgufType{16, "IQ2_XXS", 256, 66},
    GgufType{17, "IQ2_XS", 256, 74},  GgufType{18, "IQ3_XXS", 256, 98}, GgufType{19, "IQ1_S", 256, 50},
    GgufType{20, "IQ4_NL", 32, 18},   GgufType{21, "IQ3_S", 256, 110},  GgufType{22, "IQ2_S", 256, 82},
    GgufType{23, "IQ4_XS", 256, 136}, GgufType{24, "I8", 1, 1},         GgufType{25, "I16", 1, 2},
    GgufType{26, "I32", 1, 4},        GgufType{27, "I64", 1, 8},        GgufType{28, "F64", 1, 8},
    GgufType{29, "IQ1_M", 256, 56},   GgufType{30, "BF16", 1, 2},       GgufType{34, "TQ1_0", 256, 54},
    GgufType{35, "TQ2_0", 256, 66},   GgufType{39, "MXFP4", 32, 17},    GgufType{40, "NVFP4", 64, 36},
    GgufType{41, "Q1_0", 128, 18},    GgufType{42, "Q2_0", 64, 18},
};

}  // namespace

std::optional<GgufType> gguf_type(std::uint32_t number) {
  const auto found = std::ranges::find(types, number, &GgufType::number);
  return found == types.end() ? std::nullopt : std::optional(*found);
}

std::string gguf_type_name(std::uint32_t number) {
  const auto type = gguf_type(number);
  return type ? std::string(type->name) : fmt::format("type {}", number);
}

}  // namespace gemmtune
