// Packs MXFP4 weights into column panels, either folded to int8 or as the original nibbles.
#pragma once

#include "gemmtune/families/cpu_tile/mxfp4_fold.h"
#include "gemmtune/families/cpu_tile/panel_gemm.h"

namespace gemmtune::cpu_tile {

/// Row `row` of an MXFP4 operand, counted over all batch elements.
Mxfp4Row mxfp4_row(const std::byte* values, const std::byte* scales, std::int64_t k, std::int64_t row);

void pack_mxfp4_panel(const PanelSetup& setup, const PanelJob& job);

}  // namespace gemmtune::cpu_tile
