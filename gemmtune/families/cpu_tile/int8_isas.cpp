#include <algorithm>
#include <array>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile {
namespace {

void nothing() {}

Int8Isa portable_isa() {
  return {.label = "portable",
          .form = RowForm::s8,
          .tiles = portable::int8_tiles,
          .finish = portable::finish,
          .expand_row = portable::expand_row,
          .expand_panel = portable::expand_panel,
          .block_dot = portable::block_dot,
          .enter = nothing,
          .leave = nothing};
}

#if GEMMTUNE_CPU_TILE_X86

Int8Isa avx2_isa() {
  return {.label = "avx2",
          .form = RowForm::s16,
          .tiles = avx2::int8_tiles,
          .finish = avx2::finish,
          .expand_row = avx2::expand_row,
          .expand_panel = avx2::expand_panel,
          .block_dot = avx2::block_dot,
          .enter = nothing,
          .leave = nothing};
}

Int8Isa avxvnni_isa() {
  Int8Isa isa = avx2_isa();
  isa.label = "avxvnni";
  isa.form = RowForm::u8_plus_128;
  isa.tiles = avxvnni::int8_tiles;
  return isa;
}

Int8Isa avx512vnni_isa() {
  Int8Isa isa = avx2_isa();
  isa.label = "avx512vnni";
  isa.form = RowForm::u8_plus_128;
  isa.tiles = avx512vnni::int8_tiles;
  isa.finish = avx512::finish;
  isa.expand_panel = avx512::expand_panel;
  return isa;
}

Int8Isa amxint8_isa() {
  Int8Isa isa = avx512vnni_isa();
  isa.label = "amxint8";
  isa.form = RowForm::s8;
  isa.tiles = amxint8::int8_tiles;
  isa.enter = amxint8::enter;
  isa.leave = amxint8::leave;
  return isa;
}

#elif GEMMTUNE_CPU_TILE_ARM

Int8Isa neondot_isa() {
  return {.label = "neondot",
          .form = RowForm::s8,
          .tiles = neondot::int8_tiles,
          .finish = neon::finish,
          .expand_row = neon::expand_row,
          .expand_panel = neon::expand_panel,
          .block_dot = neon::block_dot,
          .enter = nothing,
          .leave = nothing};
}

Int8Isa neoni8mm_isa() {
  Int8Isa isa = neondot_isa();
  isa.label = "neoni8mm";
  isa.tiles = neoni8mm::int8_tiles;
  return isa;
}

#endif

}  // namespace

const TileKernel* Int8Isa::tile(std::int64_t m, std::int64_t n) const {
  const auto found =
      std::find_if(tiles.begin(), tiles.end(), [&](const TileKernel& t) { return t.m == m && t.n == n; });
  return found == tiles.end() ? nullptr : &*found;
}

std::span<const Int8Isa> int8_isas() {
#if GEMMTUNE_CPU_TILE_X86
  static const std::array isas{amxint8_isa(), avx512vnni_isa(), avxvnni_isa(), avx2_isa(), portable_isa()};
#elif GEMMTUNE_CPU_TILE_ARM
  static const std::array isas{neoni8mm_isa(), neondot_isa(), portable_isa()};
#else
  static const std::array isas{portable_isa()};
#endif
  return isas;
}

const Int8Isa* find_int8_isa(std::string_view label) {
  const auto isas = int8_isas();
  const auto found = std::find_if(isas.begin(), isas.end(), [&](const Int8Isa& isa) { return isa.label == label; });
  return found == isas.end() ? nullptr : &*found;
}

}  // namespace gemmtune::cpu_tile
