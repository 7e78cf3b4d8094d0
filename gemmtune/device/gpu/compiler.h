// The run-time compiler of the vendor that this build is for.
#pragma once

#include "gemmtune/device/gpu/vendor/cuda_compiler.h"  // IWYU pragma: export
