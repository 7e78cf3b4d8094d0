// The paths of cpu_tile, one for each arithmetic. All share the family's name, and each has a prefix of its own for
// candidates' names: cpu_tile_f32_…, cpu_tile_mxfp4_….
#pragma once

#include <memory>

#include "gemmtune/families/kernel_path.h"

namespace gemmtune::cpu_tile {

/// f32, bf16, fp16, fp8 and fp8 block scale: multiplied in float, or as bf16 pairs if the CPU can do that.
std::unique_ptr<KernelPath> make_float_path();

/// The same types for one to sixteen rows. Weights are read once, as they are stored.
std::unique_ptr<KernelPath> make_stream_path();

/// int8 × int8 with tensor or row scales: exact int32 accumulation.
std::unique_ptr<KernelPath> make_int8_path();

/// MXFP4 × MXFP4: folded into int8 if the block exponents allow it, and otherwise in blocks of 32.
std::unique_ptr<KernelPath> make_mxfp4_path();

/// MXFP4, NVFP4, Q4_0 and Q8_0 weights with rows of floats, or with rows that the call quantises to int8. Each block's
/// sum is scaled in float.
std::unique_ptr<KernelPath> make_block_path();

}  // namespace gemmtune::cpu_tile
