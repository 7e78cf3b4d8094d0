// The functions behind int8_kernels.h, in one namespace for each instruction set. Each is compiled with the flags of
// its instruction set and shares no code with others, so that the linker cannot use its code where another CPU would
// run it. The tables of tiles are constants, not functions: reading them runs no code.
#pragma once

#include <span>

#include "gemmtune/families/cpu_tile/int8_kernels.h"

namespace gemmtune::cpu_tile {

namespace portable {
extern const std::span<const TileKernel> int8_tiles;
/// Computes in double. The result is rounded only once if the scales are powers of two, however large or small.
void finish(const FinishJob& job);
void expand_row(const ExpandRowJob& job);
void expand_panel(const ExpandPanelJob& job);
void block_dot(const BlockDotJob& job);
}  // namespace portable

namespace avx2 {
extern const std::span<const TileKernel> int8_tiles;
void finish(const FinishJob& job);
void expand_row(const ExpandRowJob& job);
void expand_panel(const ExpandPanelJob& job);
void block_dot(const BlockDotJob& job);
}  // namespace avx2

namespace avxvnni {
extern const std::span<const TileKernel> int8_tiles;
}

namespace avx512vnni {
extern const std::span<const TileKernel> int8_tiles;
}

namespace avx512 {
void finish(const FinishJob& job);
void expand_panel(const ExpandPanelJob& job);
}  // namespace avx512

namespace amxint8 {
extern const std::span<const TileKernel> int8_tiles;
void enter();
void leave();
}  // namespace amxint8

/// For all Arm CPUs; rows are read and expanded as RowForm::s8 only.
namespace neon {
void finish(const FinishJob& job);
void expand_row(const ExpandRowJob& job);
void expand_panel(const ExpandPanelJob& job);
void block_dot(const BlockDotJob& job);
}  // namespace neon

namespace neondot {
extern const std::span<const TileKernel> int8_tiles;
}

namespace neoni8mm {
extern const std::span<const TileKernel> int8_tiles;
}

}  // namespace gemmtune::cpu_tile
