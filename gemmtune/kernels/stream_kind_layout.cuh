// The layout of the kernel that is compiled: STREAM_FOLDED says which of the two.
#pragma once

#if STREAM_FOLDED
#include "gemmtune/kernels/stream_folded_layout.cuh"
#else
#include "gemmtune/kernels/stream_layout.cuh"
#endif
