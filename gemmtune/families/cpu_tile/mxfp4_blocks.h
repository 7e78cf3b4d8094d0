// Rows and columns of MXFP4 that cannot be folded: the int8 sum over each block of 32 is scaled and added separately,
// in double, because products of scales range from 2^-254 to 2^254.
#pragma once

#include "gemmtune/families/cpu_tile/mxfp4_fold.h"
#include "gemmtune/families/cpu_tile/panel_gemm.h"

namespace gemmtune::cpu_tile {

/// A tile with some rows or columns that cannot be folded.
struct BlockTile {
  const PanelSetup& setup;
  const OutputJob& output;
  TileSpan span{};
  const Fold* folds{};  // folds of the tile's rows
  PackedColumns columns{};
};

/// Overwrites those rows and columns of the tile.
void finish_by_blocks(const BlockTile& tile);

}  // namespace gemmtune::cpu_tile
