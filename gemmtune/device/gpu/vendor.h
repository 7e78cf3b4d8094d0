// The vendor whose GPUs this build is for: everything in device/gpu goes through these names.
#pragma once

#ifdef GEMMTUNE_HIP
#include "gemmtune/device/gpu/vendor/hip.h"  // IWYU pragma: export
#else
#include "gemmtune/device/gpu/vendor/cuda.h"  // IWYU pragma: export
#endif
