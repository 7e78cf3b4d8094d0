// How an MXFP4 product with few rows of A may be cut up: the search spaces of mxfp4_skinny and mxfp4_fused.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream.h"
#include "gemmtune/space/space.h"

namespace gemmtune::mxfp4_stream {

enum class Kind : std::uint8_t {
  skinny,  // up to 16 rows of A, each block of K by itself: any scales, exact blocks
  fused,   // up to 512 rows; weights' scales in their e4m3 values, or as in skinny
};

/// "mxfp4_skinny", "mxfp4_fused".
std::string family_name(Kind kind);

/// Why this family has nothing for the problem, or "".
std::string why_unsupported(const Problem& problem, Kind kind, const DeviceInfo& device);

/// Names like mxfp4_fused_n64_row_r2_q1_c2_s4_v6. What is left out because something else is surely as good
/// is a constraint too; prepare() takes it all the same.
Space space_of(const Problem& problem, Kind kind, const DeviceInfo& device);

StreamTile tile_of(const Point& point);

}  // namespace gemmtune::mxfp4_stream
