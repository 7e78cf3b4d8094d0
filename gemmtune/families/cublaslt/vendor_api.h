// The header of cuBLASLt, included here alone.
#pragma once

#include <cublasLt.h>  // IWYU pragma: export
