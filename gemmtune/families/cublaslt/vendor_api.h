// The header of cuBLASLt, which no other file includes.
#pragma once

#include <cublasLt.h>  // IWYU pragma: export
