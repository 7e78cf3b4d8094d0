#include "gemmtune/families/cpu_tile/block_isas.h"

#include <algorithm>
#include <array>

namespace gemmtune::cpu_tile {
namespace {

#if GEMMTUNE_CPU_TILE_X86
constexpr std::array int8_isas{
    BlockIsa{.label = "amxint8", .finish_label = "avx512", .kernels = &block_int8_amx},
    BlockIsa{.label = "avx512vnni", .finish_label = "avx512", .kernels = &block_int8_avx512vnni},
    BlockIsa{.label = "avxvnni", .finish_label = "avx2", .kernels = &block_int8_avxvnni},
    BlockIsa{.label = "avx2", .finish_label = "avx2", .kernels = &block_int8_avx2},
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_int8_portable}};
constexpr std::array float_isas{
    BlockIsa{.label = "amxbf16", .finish_label = "avx512", .kernels = &block_bf16_amx},
    BlockIsa{.label = "avx512bf16", .finish_label = "avx512", .kernels = &block_bf16_avx512},
    BlockIsa{.label = "avx512", .finish_label = "avx512", .kernels = &block_f32_avx512},
    BlockIsa{.label = "avx2", .finish_label = "avx2", .kernels = &block_f32_avx2},
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_f32_portable}};
constexpr std::span<const BlockIsa> not_bf16_isas = std::span(float_isas).subspan(2);
#elif GEMMTUNE_CPU_TILE_ARM
constexpr std::array int8_isas{
    BlockIsa{.label = "neoni8mm", .finish_label = "portable", .kernels = &block_int8_neoni8mm},
    BlockIsa{.label = "neondot", .finish_label = "portable", .kernels = &block_int8_neondot},
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_int8_portable}};
constexpr std::array float_isas{
    BlockIsa{.label = "neon", .finish_label = "portable", .kernels = &block_f32_neon},
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_f32_portable}};
constexpr std::span<const BlockIsa> not_bf16_isas = float_isas;
#else
constexpr std::array int8_isas{
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_int8_portable}};
constexpr std::array float_isas{
    BlockIsa{.label = "portable", .finish_label = "portable", .kernels = &block_f32_portable}};
constexpr std::span<const BlockIsa> not_bf16_isas = float_isas;
#endif

}  // namespace

std::span<const BlockIsa> block_isas(const Problem& problem) {
  if (is_q8_in_call(problem.a)) return int8_isas;
  return problem.a.type == DType::bf16 ? std::span<const BlockIsa>(float_isas) : not_bf16_isas;
}

const BlockIsa* find_block_isa(const Problem& problem, std::string_view label) {
  const auto isas = block_isas(problem);
  const auto found = std::ranges::find(isas, label, &BlockIsa::label);
  return found == isas.end() ? nullptr : &*found;
}

}  // namespace gemmtune::cpu_tile
