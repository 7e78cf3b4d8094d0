// The arithmetics of cpu_tile. A path turns a kind of problem into a search space and a point of it into a prepared
// GEMM; all paths share the family's name, and each has its own prefix for candidates' names: cpu_tile_f32_…,
// cpu_tile_mxfp4_….
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/space/space.h"

namespace gemmtune::cpu_tile {

class TilePath {
 public:
  virtual ~TilePath() = default;

  virtual Support supports(const Problem& problem, const DeviceInfo& device) const = 0;

  /// The space for a supported problem; its first point is the path's default.
  virtual Space space(const Problem& problem, const DeviceInfo& device) const = 0;

  virtual std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                                const DeviceInfo& device) const = 0;
};

/// f32, bf16, fp16, fp8 and fp8 block scale: multiplied in float, or in bf16 pairs where the CPU has them.
std::unique_ptr<TilePath> make_float_path();

/// The same types for one to sixteen rows: weights stream through once, as they lie.
std::unique_ptr<TilePath> make_stream_path();

/// int8 × int8 with tensor or row scales: exact int32 accumulation.
std::unique_ptr<TilePath> make_int8_path();

/// MXFP4 × MXFP4: folded into int8 where the block exponents allow it, by blocks of 32 where not.
std::unique_ptr<TilePath> make_mxfp4_path();

}  // namespace gemmtune::cpu_tile
