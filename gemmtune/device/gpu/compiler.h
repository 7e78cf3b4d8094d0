// The run-time compiler of the vendor that this build is for.
#pragma once

#ifdef GEMMTUNE_HIP
#include "gemmtune/device/gpu/vendor/hip_compiler.h"  // IWYU pragma: export
#else
#include "gemmtune/device/gpu/vendor/cuda_compiler.h"  // IWYU pragma: export
#endif
