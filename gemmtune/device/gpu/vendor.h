// The vendor whose GPUs this build is for: everything in device/gpu goes through these names.
#pragma once

#include "gemmtune/device/gpu/vendor/cuda.h"  // IWYU pragma: export
