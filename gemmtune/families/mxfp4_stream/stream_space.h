// How an MXFP4 product with some rows of A may be cut up: the search spaces of mxfp4_skinny and mxfp4_fused. What is
// left out because something else is surely as good is a constraint; a family's prepare() takes it all the same.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream.h"
#include "gemmtune/kernels/stream_folded.h"
#include "gemmtune/space/space.h"

namespace gemmtune::mxfp4_stream {

/// Why a family has nothing for the problem, or "".
std::string why_not_skinny(const Problem& problem, const DeviceInfo& device);
std::string why_not_fused(const Problem& problem, const DeviceInfo& device);

/// Names like mxfp4_skinny_n16_r1_q3_c1_s3_v6.
Space skinny_space(const Problem& problem, const DeviceInfo& device);
/// Names like mxfp4_fused_n64_r2_c2_s10.
Space fused_space(const Problem& problem, const DeviceInfo& device);

StreamTile skinny_tile(const Point& point);
FoldedStreamTile fused_tile(const Point& point);

}  // namespace gemmtune::mxfp4_stream
