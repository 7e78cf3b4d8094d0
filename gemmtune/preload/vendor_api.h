// The headers of cuBLAS and cuBLASLt, whose functions this library stands in for.
#pragma once

#include <cublasLt.h>   // IWYU pragma: export
#include <cublas_v2.h>  // IWYU pragma: export
