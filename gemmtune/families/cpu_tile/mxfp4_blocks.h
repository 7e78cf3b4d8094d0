// Rows and columns of MXFP4 that do not fold: the int8 sums over each block of 32 are scaled and added one by one, in
// double, since products of scales reach from 2^-254 to 2^254.
#pragma once

#include "gemmtune/families/cpu_tile/mxfp4_fold.h"
#include "gemmtune/families/cpu_tile/panel_gemm.h"

namespace gemmtune::cpu_tile {

/// A tile of which some rows or columns do not fold.
struct BlockTile {
  const PanelSetup& setup;
  const OutputJob& output;
  TileSpan span{};
  const Fold* folds{};  // of the tile's rows
  PackedColumns columns{};
};

/// Overwrites those rows and columns of the tile.
void finish_by_blocks(const BlockTile& tile);

}  // namespace gemmtune::cpu_tile
